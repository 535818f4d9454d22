//! nftables messages: tables, chains, sets, and rules made of tests that end in a verdict. Knows no
//! reason for any rule.

use crate::netlink::{Message, Netlink, attribute, attributes};
use std::io;

/// A test of a packet; a rule is a list of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NftTest {
    /// The family: `NFPROTO_IPV4` or `NFPROTO_IPV6`.
    Family(u8),
    /// The transport protocol's number, behind extension headers too.
    Protocol(u8),
    /// That number lies between two, both included.
    ProtocolBetween(u8, u8),
    /// Bytes of a header from `at` on equal these.
    Equal(Base, u32, Vec<u8>),
    /// Bytes of a header from `at` on lie between two values of the same length, both included.
    Between(Base, u32, Vec<u8>, Vec<u8>),
    /// The packet's socket has another mark than this.
    OtherMark(u32),
    /// The Ethernet type of what the packet is.
    EtherType(u16),
    /// Bytes of a header from `at` on are in a set of the table: its number, and the length of its
    /// values.
    In(Base, u32, (usize, usize)),
    /// More than this has passed here.
    Over(NftLimit),
}

/// How much may pass in a second, and at once after a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NftLimit {
    pub counts: NftUnit,
    pub per_second: u64,
    pub burst: u32,
}

/// What a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NftUnit {
    Packets,
    Bytes,
}

/// What becomes of a packet that passes all tests of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NftVerdict {
    /// It continues; no further rule of the chain is asked.
    Accept,
    /// It is counted and dropped.
    Drop,
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NftRule {
    pub tests: Vec<NftTest>,
    pub verdict: NftVerdict,
}

/// Where a chain sees packets; what none of its rules decides passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NftHook {
    /// What comes in by any interface, before connection tracking and routing.
    Prerouting,
    /// What leaves by this interface (Linux 5.16).
    Egress(String),
}

/// A set of ranges of values of one length, ascending, both ends included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NftSet {
    pub value_len: usize,
    pub ranges: Vec<(Vec<u8>, Vec<u8>)>,
}

/// A table. All of its hooks are of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NftTable {
    pub sets: Vec<NftSet>,
    pub chains: Vec<(NftHook, Vec<NftRule>)>,
}

/// The header that an offset counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// IP.
    Network = 1,
    /// What IP carries. Never matches in a fragment other than the first.
    Transport = 2,
}

/// `NFNL_SUBSYS_NFTABLES`.
const SUBSYSTEM: u16 = 10;
const BATCH_BEGIN: u16 = 0x10;
const BATCH_END: u16 = 0x11;
const NEW_TABLE: u16 = SUBSYSTEM << 8;
const NEW_CHAIN: u16 = SUBSYSTEM << 8 | 3;
const NEW_RULE: u16 = SUBSYSTEM << 8 | 6;
const GET_RULE: u16 = SUBSYSTEM << 8 | 7;
const NEW_SET: u16 = SUBSYSTEM << 8 | 9;
const NEW_ELEMENTS: u16 = SUBSYSTEM << 8 | 12;
const FAMILY_INET: u8 = 1;
const FAMILY_NETDEV: u8 = 5;
/// `NFT_TABLE_F_OWNER`: the table goes with the socket that made it.
const OWNER: u32 = 2;
/// Before connection tracking and routing (`NF_IP_PRI_RAW`).
const RAW: i32 = -300;
const REGISTER: u32 = 1;

/// Creates a table that this socket owns.
pub(crate) fn create(kernel: &mut Netlink, name: &str, table: &NftTable) -> io::Result<()> {
    let name = zero_ended(name);
    let family = match table.chains.first() {
        Some((NftHook::Egress(_), _)) => FAMILY_NETDEV,
        _ => FAMILY_INET,
    };
    let place = TableOf {
        family,
        name: &name,
    };
    let mut batch = vec![place.new_table()];
    for (number, set) in table.sets.iter().enumerate() {
        batch.push(place.new_set(number, set));
        batch.extend(place.new_elements(number, set));
    }
    for (number, (hook, rules)) in table.chains.iter().enumerate() {
        let chain = chain_name(number);
        batch.push(place.new_chain(&chain, hook));
        batch.extend(rules.iter().map(|rule| place.new_rule(&chain, rule)));
    }
    let acknowledged = batch.len();
    batch.insert(0, batch_mark(BATCH_BEGIN));
    batch.push(batch_mark(BATCH_END));
    kernel.transact(batch, acknowledged)
}

/// Packets that each rule has dropped, in order of the rules.
pub(crate) fn counts(kernel: &mut Netlink, table: &str) -> io::Result<Vec<u64>> {
    let flags = (libc::NLM_F_REQUEST | libc::NLM_F_DUMP) as u16;
    let message =
        Message::new(GET_RULE, flags, &[FAMILY_INET, 0, 0, 0]).attribute(1, &zero_ended(table));
    let answers = kernel.request(message)?;
    let of_table = |body: &&Vec<u8>| attribute(tail(body), 1) == Some(&zero_ended(table));
    Ok(answers
        .iter()
        .map(|(_, body)| body)
        .filter(of_table)
        .map(|body| counter(body).unwrap_or(0))
        .collect())
}

/// The packet count in a rule's list of expressions.
fn counter(body: &[u8]) -> Option<u64> {
    let expressions = attribute(tail(body), 4)?;
    attributes(expressions).find_map(|(_, expression)| {
        let packets = attribute(attribute(expression, 2)?, 2)?;
        (attribute(expression, 1)? == b"counter\0")
            .then_some(u64::from_be_bytes(packets.try_into().ok()?))
    })
}

/// What follows `struct nfgenmsg`.
fn tail(body: &[u8]) -> &[u8] {
    body.get(4..).unwrap_or_default()
}

fn zero_ended(text: &str) -> Vec<u8> {
    [text.as_bytes(), &[0]].concat()
}

/// The subsystem is in network order in the last half of `struct nfgenmsg`.
fn batch_mark(kind: u16) -> Message {
    Message::new(
        kind,
        libc::NLM_F_REQUEST as u16,
        &[0, 0, 0, SUBSYSTEM as u8],
    )
}

/// A table that is being made.
struct TableOf<'a> {
    family: u8,
    name: &'a [u8],
}

impl TableOf<'_> {
    fn message(&self, kind: u16, more: i32) -> Message {
        let flags = libc::NLM_F_REQUEST | libc::NLM_F_ACK | libc::NLM_F_CREATE | more;
        Message::new(kind, flags as u16, &[self.family, 0, 0, 0]).attribute(1, self.name)
    }

    fn new_table(&self) -> Message {
        self.message(NEW_TABLE, libc::NLM_F_EXCL)
            .attribute(2, &OWNER.to_be_bytes())
    }

    /// Policy accept (1). Hook 0 of `inet` is `prerouting`, hook 1 of `netdev` is `egress`.
    fn new_chain(&self, chain: &[u8], hook: &NftHook) -> Message {
        let placed = |m: Message| match hook {
            NftHook::Prerouting => m
                .attribute(1, &0u32.to_be_bytes())
                .attribute(2, &RAW.to_be_bytes()),
            NftHook::Egress(device) => m
                .attribute(1, &1u32.to_be_bytes())
                .attribute(2, &0u32.to_be_bytes())
                .attribute(3, &zero_ended(device)),
        };
        self.message(NEW_CHAIN, libc::NLM_F_EXCL)
            .attribute(3, chain)
            .nested(4, placed)
            .attribute(5, &1u32.to_be_bytes())
            .attribute(7, b"filter\0")
    }

    fn new_rule(&self, chain: &[u8], rule: &NftRule) -> Message {
        let expressions = |m: Message| verdict(rule.tests.iter().fold(m, test), rule.verdict);
        self.message(NEW_RULE, libc::NLM_F_APPEND)
            .attribute(2, chain)
            .nested(4, expressions)
    }

    /// With `NFT_SET_INTERVAL` (4). The type is for who lists the rules: `ipv4_addr` (7), `ipv6_addr` (8).
    fn new_set(&self, number: usize, set: &NftSet) -> Message {
        let kind = if set.value_len == 4 { 7u32 } else { 8 };
        self.message(NEW_SET, libc::NLM_F_EXCL)
            .attribute(2, &set_name(number))
            .attribute(3, &4u32.to_be_bytes())
            .attribute(4, &kind.to_be_bytes())
            .attribute(5, &(set.value_len as u32).to_be_bytes())
            .attribute(10, &(number as u32 + 1).to_be_bytes())
    }

    /// In messages of some hundred: an attribute has no more than 64 KiB.
    fn new_elements(&self, number: usize, set: &NftSet) -> Vec<Message> {
        let ends: Vec<(Vec<u8>, u32)> = set.ranges.iter().flat_map(ends_of_range).collect();
        ends.chunks(ELEMENTS)
            .map(|ends| {
                let list = |m: Message| ends.iter().fold(m, element);
                self.message(NEW_ELEMENTS, 0)
                    .attribute(2, &set_name(number))
                    .attribute(4, &(number as u32 + 1).to_be_bytes())
                    .nested(3, list)
            })
            .collect()
    }
}

/// Ends of ranges in one message.
const ELEMENTS: usize = 512;

/// A range as the kernel keeps it: where it begins, and with `NFT_SET_ELEM_INTERVAL_END` (1) where what
/// is behind it begins.
fn ends_of_range((first, last): &(Vec<u8>, Vec<u8>)) -> Vec<(Vec<u8>, u32)> {
    let behind = successor(last).map(|behind| (behind, 1));
    [(first.clone(), 0)].into_iter().chain(behind).collect()
}

/// The next value of this length; none behind the highest.
fn successor(value: &[u8]) -> Option<Vec<u8>> {
    let mut next = value.to_vec();
    for byte in next.iter_mut().rev() {
        *byte = byte.wrapping_add(1);
        if *byte != 0 {
            return Some(next);
        }
    }
    None
}

fn element(list: Message, (value, flags): &(Vec<u8>, u32)) -> Message {
    list.nested(1, |m| {
        m.nested(1, |key| key.attribute(1, value))
            .attribute(3, &flags.to_be_bytes())
    })
}

fn chain_name(number: usize) -> Vec<u8> {
    zero_ended(&format!("chain{number}"))
}

fn set_name(number: usize) -> Vec<u8> {
    zero_ended(&format!("set{number}"))
}

/// One expression: its name, and its attributes.
fn expression(list: Message, name: &[u8], inside: impl FnOnce(Message) -> Message) -> Message {
    list.nested(1, |m| m.attribute(1, name).nested(2, inside))
}

fn test(list: Message, test: &NftTest) -> Message {
    match test {
        NftTest::Family(family) => equal(meta(list, META_FAMILY), &[*family]),
        NftTest::Protocol(number) => equal(meta(list, META_PROTOCOL), &[*number]),
        NftTest::ProtocolBetween(first, last) => {
            between(meta(list, META_PROTOCOL), &[*first], &[*last])
        }
        NftTest::Equal(base, at, value) => equal(payload(list, *base, *at, value.len()), value),
        NftTest::Between(base, at, first, last) => {
            between(payload(list, *base, *at, first.len()), first, last)
        }
        NftTest::OtherMark(mark) => compare(meta(list, META_MARK), NOT_EQUAL, &mark.to_ne_bytes()),
        NftTest::EtherType(number) => equal(meta(list, META_ETHER_TYPE), &number.to_be_bytes()),
        NftTest::In(base, at, (set, len)) => lookup(payload(list, *base, *at, *len), *set),
        NftTest::Over(limit) => over(list, limit),
    }
}

const META_ETHER_TYPE: u32 = 1;
const META_MARK: u32 = 3;
const META_FAMILY: u32 = 15;
const META_PROTOCOL: u32 = 16;

fn meta(list: Message, key: u32) -> Message {
    expression(list, b"meta\0", |m| {
        m.attribute(1, &REGISTER.to_be_bytes())
            .attribute(2, &key.to_be_bytes())
    })
}

fn payload(list: Message, base: Base, at: u32, len: usize) -> Message {
    expression(list, b"payload\0", |m| {
        [REGISTER, base as u32, at, len as u32]
            .iter()
            .zip(1..)
            .fold(m, |m, (v, kind)| m.attribute(kind, &v.to_be_bytes()))
    })
}

/// `NFT_CMP_EQ` and `NFT_CMP_NEQ`.
const EQUAL: u32 = 0;
const NOT_EQUAL: u32 = 1;

fn equal(list: Message, value: &[u8]) -> Message {
    compare(list, EQUAL, value)
}

fn compare(list: Message, operation: u32, value: &[u8]) -> Message {
    expression(list, b"cmp\0", |m| {
        against(m, operation).nested(3, |d| d.attribute(1, value))
    })
}

fn lookup(list: Message, set: usize) -> Message {
    expression(list, b"lookup\0", |m| {
        m.attribute(1, &set_name(set))
            .attribute(2, &REGISTER.to_be_bytes())
            .attribute(4, &(set as u32 + 1).to_be_bytes())
    })
}

/// Unit: a second. `NFT_LIMIT_F_INV` (1) turns "up to" into "over".
fn over(list: Message, limit: &NftLimit) -> Message {
    let kind = match limit.counts {
        NftUnit::Packets => 0u32,
        NftUnit::Bytes => 1,
    };
    expression(list, b"limit\0", |m| {
        m.attribute(1, &limit.per_second.to_be_bytes())
            .attribute(2, &1u64.to_be_bytes())
            .attribute(3, &limit.burst.to_be_bytes())
            .attribute(4, &kind.to_be_bytes())
            .attribute(5, &1u32.to_be_bytes())
    })
}

fn between(list: Message, first: &[u8], last: &[u8]) -> Message {
    expression(list, b"range\0", |m| {
        against(m, EQUAL)
            .nested(3, |d| d.attribute(1, first))
            .nested(4, |d| d.attribute(1, last))
    })
}

fn against(m: Message, operation: u32) -> Message {
    m.attribute(1, &REGISTER.to_be_bytes())
        .attribute(2, &operation.to_be_bytes())
}

/// The verdict register (0) is set to `NF_DROP` (0), behind a counter, or to `NF_ACCEPT` (1).
fn verdict(list: Message, verdict: NftVerdict) -> Message {
    let (list, code) = match verdict {
        NftVerdict::Drop => (expression(list, b"counter\0", |m| m), 0u32),
        NftVerdict::Accept => (list, 1),
    };
    expression(list, b"immediate\0", |m| {
        let verdict = |d: Message| d.nested(2, |v| v.attribute(1, &code.to_be_bytes()));
        m.attribute(1, &0u32.to_be_bytes()).nested(2, verdict)
    })
}
