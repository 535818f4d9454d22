//! nftables messages: tables, chains, and rules made of tests that end in a drop. Knows no reason
//! for any rule.

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
const FAMILY_INET: u8 = 1;
const CHAIN: &[u8] = b"in\0";
/// `NFT_TABLE_F_OWNER`: the table goes with the socket that made it.
const OWNER: u32 = 2;
/// Before connection tracking and routing (`NF_IP_PRI_RAW`).
const RAW: i32 = -300;
const REGISTER: u32 = 1;

/// Creates a table that this socket owns, with one chain that drops what passes all tests of any
/// rule.
pub(crate) fn create(kernel: &mut Netlink, table: &str, rules: &[Vec<NftTest>]) -> io::Result<()> {
    let name = zero_ended(table);
    let mut batch = vec![batch_mark(BATCH_BEGIN), new_table(&name), new_chain(&name)];
    batch.extend(rules.iter().map(|tests| new_rule(&name, tests)));
    batch.push(batch_mark(BATCH_END));
    kernel.transact(batch, 2 + rules.len())
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

/// The subsystem stands in network order in the last half of `struct nfgenmsg`.
fn batch_mark(kind: u16) -> Message {
    Message::new(
        kind,
        libc::NLM_F_REQUEST as u16,
        &[0, 0, 0, SUBSYSTEM as u8],
    )
}

fn new(kind: u16, more: i32) -> Message {
    let flags = libc::NLM_F_REQUEST | libc::NLM_F_ACK | libc::NLM_F_CREATE | more;
    Message::new(kind, flags as u16, &[FAMILY_INET, 0, 0, 0])
}

fn new_table(name: &[u8]) -> Message {
    new(NEW_TABLE, libc::NLM_F_EXCL)
        .attribute(1, name)
        .attribute(2, &OWNER.to_be_bytes())
}

/// Hook `prerouting` (0), policy accept (1).
fn new_chain(table: &[u8]) -> Message {
    let hook = |m: Message| {
        m.attribute(1, &0u32.to_be_bytes())
            .attribute(2, &RAW.to_be_bytes())
    };
    let chain = new(NEW_CHAIN, libc::NLM_F_EXCL)
        .attribute(1, table)
        .attribute(3, CHAIN);
    chain
        .nested(4, hook)
        .attribute(5, &1u32.to_be_bytes())
        .attribute(7, b"filter\0")
}

fn new_rule(table: &[u8], tests: &[NftTest]) -> Message {
    let expressions = |m: Message| drop_counted(tests.iter().fold(m, test));
    new(NEW_RULE, libc::NLM_F_APPEND)
        .attribute(1, table)
        .attribute(2, CHAIN)
        .nested(4, expressions)
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
    }
}

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

/// Operation 0 is "equal".
fn equal(list: Message, value: &[u8]) -> Message {
    expression(list, b"cmp\0", |m| {
        against(m).nested(3, |d| d.attribute(1, value))
    })
}

fn between(list: Message, first: &[u8], last: &[u8]) -> Message {
    expression(list, b"range\0", |m| {
        against(m)
            .nested(3, |d| d.attribute(1, first))
            .nested(4, |d| d.attribute(1, last))
    })
}

fn against(m: Message) -> Message {
    m.attribute(1, &REGISTER.to_be_bytes())
        .attribute(2, &0u32.to_be_bytes())
}

/// A counter, then the verdict register (0) set to drop (0).
fn drop_counted(list: Message) -> Message {
    let counted = expression(list, b"counter\0", |m| m);
    expression(counted, b"immediate\0", |m| {
        let verdict = |d: Message| d.nested(2, |v| v.attribute(1, &0u32.to_be_bytes()));
        m.attribute(1, &0u32.to_be_bytes()).nested(2, verdict)
    })
}
