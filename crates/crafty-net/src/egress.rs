//! A second monitor in the kernel: what leaves by a run's sockets goes to listed addresses alone, and
//! not faster than twice the declared rate. It reads IP behind an Ethernet header without tags, and what
//! begins with IP; the rest passes. Nothing of it outlives the process, however it ends.

use crate::firewall::{MOST_TABLES, create};
use crate::netlink::Netlink;
use crate::nft::{
    Base, NftHook, NftLimit, NftRule, NftSet, NftTable, NftTest, NftUnit, NftVerdict,
};
use crate::route::octets;
use crate::{Interface, NetError};
use crafty_value::Net;
use std::net::IpAddr;

/// What may leave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EgressRules {
    /// To whom: ranges of addresses, both ends included, ascending in each family.
    pub destinations: Vec<(IpAddr, IpAddr)>,
    /// Packets a second.
    pub packets_per_second: u64,
    /// Bytes a second.
    pub bytes_per_second: u64,
}

/// The kernel's table for what leaves, for as long as this value lives.
pub struct EgressMonitor {
    _kernel: Netlink,
    mark: u32,
}

impl EgressMonitor {
    /// Installs the rules for all that leaves by `interfaces` from sockets with the monitor's mark; others
    /// are left alone. Needs CAP_NET_ADMIN and Linux 5.16.
    pub fn install(
        interfaces: &[Interface],
        rules: &EgressRules,
    ) -> Result<EgressMonitor, NetError> {
        let mut kernel =
            Netlink::open(libc::NETLINK_NETFILTER).map_err(NetError::doing("opening nftables"))?;
        let table = |attempt| table(interfaces, rules, mark_of(attempt));
        let (_, attempt) = create(&mut kernel, table)?;
        Ok(EgressMonitor {
            _kernel: kernel,
            mark: mark_of(attempt),
        })
    }

    /// The mark by which it knows its sockets, see [`Port::watched_by`](crate::Port::watched_by).
    pub(crate) fn mark(&self) -> u32 {
        self.mark
    }
}

/// As unique in a network namespace as the name of the table: the highest bit, the process (22 bits at
/// most), and which of its tables.
fn mark_of(attempt: u32) -> u32 {
    1 << 31 | std::process::id().wrapping_mul(MOST_TABLES) & 0x7fff_ffff | attempt
}

/// Numbers of the sets: IPv4, IPv6.
const SETS: [(usize, usize); 2] = [(0, 4), (1, 16)];

fn table(interfaces: &[Interface], rules: &EgressRules, mark: u32) -> NftTable {
    let of_length = |len: usize| NftSet {
        value_len: len,
        ranges: rules
            .destinations
            .iter()
            .map(|(first, last)| (octets(*first), octets(*last)))
            .filter(|(first, _)| first.len() == len)
            .collect(),
    };
    let chain = |interface: &Interface| {
        let hook = NftHook::Egress(interface.name.clone());
        (hook, chain_rules(interface, rules, mark))
    };
    NftTable {
        sets: SETS.map(|(_, len)| of_length(len)).into(),
        chains: interfaces.iter().map(chain).collect(),
    }
}

fn chain_rules(interface: &Interface, rules: &EgressRules, mark: u32) -> Vec<NftRule> {
    let accept = |tests| NftRule {
        tests,
        verdict: NftVerdict::Accept,
    };
    let drop = |tests| NftRule {
        tests,
        verdict: NftVerdict::Drop,
    };
    let mut chain = vec![accept(vec![NftTest::OtherMark(mark)])];
    let limits = [
        wider(NftUnit::Packets, rules.packets_per_second, 1),
        wider(NftUnit::Bytes, rules.bytes_per_second, LONGEST_FRAME),
    ];
    let limits = limits.into_iter().flatten();
    chain.extend(limits.map(|limit| drop(vec![NftTest::Over(limit)])));
    let to = [(IPV4, 16), (IPV6, 24)].into_iter().zip(SETS);
    for ((ether_type, at), set) in to {
        let listed = NftTest::In(Base::Network, at, set);
        chain.push(accept(vec![NftTest::EtherType(ether_type), listed]));
    }
    chain.extend(neighbour_discovery(interface).into_iter().map(accept));
    let others = [IPV4, IPV6].map(|ether_type| drop(vec![NftTest::EtherType(ether_type)]));
    chain.extend(others);
    chain
}

const IPV4: u16 = 0x0800;
const IPV6: u16 = 0x86dd;

/// Bytes of the longest frame that a socket takes, so that one frame alone is never over.
const LONGEST_FRAME: u64 = 1 << 16;

/// Twice the rate, and twice of it at once: what is within a limit for any second is never over this.
/// Rates that no bucket can hold are not repeated.
fn wider(counts: NftUnit, per_second: u64, least: u64) -> Option<NftLimit> {
    let rate = per_second.checked_mul(2)?.max(least);
    Some(NftLimit {
        counts,
        per_second: rate,
        burst: u32::try_from(rate)
            .ok()
            .filter(|burst| *burst < MOST_BURST)?,
    })
}

/// The kernel computes a bucket in nanoseconds.
const MOST_BURST: u32 = 1 << 30;

/// RFC 4861 §4: types 133 to 136, with the hop limit that says that no router passed them on, to a
/// group of the link or to an address on it. Whom they ask for the sender's own rules say.
fn neighbour_discovery(interface: &Interface) -> Vec<Vec<NftTest>> {
    let groups = Net::new(IpAddr::from([0xff02, 0, 0, 0, 0, 0, 0, 0]), 16);
    let locals = Net::new(IpAddr::from([0xfe80, 0, 0, 0, 0, 0, 0, 0]), 10);
    let own = interface
        .addresses
        .iter()
        .filter(|(address, _)| address.is_ipv6())
        .map(|(address, bits)| Net::new(*address, *bits));
    let nets = [groups, locals].into_iter().chain(own).flatten();
    nets.map(|net| {
        vec![
            NftTest::EtherType(IPV6),
            NftTest::Equal(Base::Network, 6, vec![libc::IPPROTO_ICMPV6 as u8, 255]),
            NftTest::Between(Base::Network, 24, octets(net.address()), octets(net.last())),
            NftTest::Between(Base::Network, 40, vec![133], vec![136]),
        ]
    })
    .collect()
}
