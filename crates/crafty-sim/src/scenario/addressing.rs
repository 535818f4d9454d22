//! Addresses for what has none: nets for segments and links, and addresses in them, never one that
//! was given to something else.

use super::table::Problems;
use super::{Scenario, SegmentRow};
use crafty_value::Net;
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Segments are numbered in 10.0.0.0/8 from here, a /24 each.
const SEGMENTS: u32 = u32::from_be_bytes([10, 64, 0, 0]);
/// Links are numbered in 172.16.0.0/12, a /30 each.
const LINKS: u32 = u32::from_be_bytes([172, 16, 0, 0]);
/// Nets of IPv6 are subnets of 2001:db8::/32 from here on (RFC 3849).
const NETS6: u128 = 0x2001_0db8_1000_0000 << 64;

/// The ends of a link's net: its first two addresses of hosts.
pub(super) fn ends4((net, prefix): (Ipv4Addr, u8)) -> [Ipv4Addr; 2] {
    let first = if prefix == 31 { 0 } else { 1 };
    match prefix {
        0 => [Ipv4Addr::UNSPECIFIED; 2],
        _ => [first, first + 1].map(|n| Ipv4Addr::from(u32::from(net) + n)),
    }
}

/// The same for IPv6.
pub(super) fn ends6((net, prefix): (Ipv6Addr, u8)) -> [Ipv6Addr; 2] {
    match prefix {
        0 => [Ipv6Addr::UNSPECIFIED; 2],
        _ => [1, 2].map(|n| Ipv6Addr::from(u128::from(net) + n)),
    }
}

/// Gives addresses to everything that has none.
pub(super) fn complete(scenario: &mut Scenario, problems: &mut Problems<'_>) {
    let mut taken = UsedNets::of(scenario);
    for segment in &mut scenario.segments {
        if segment.v4.1 == 0 {
            segment.v4 = (taken.next4(SEGMENTS, 8), 24);
        }
        if segment.v6.1 == 0 {
            segment.v6 = (taken.next6(), 64);
        }
    }
    for link in &mut scenario.links {
        if link.v4[0].is_unspecified() {
            link.v4 = ends4((taken.next4(LINKS, 2), 30));
        }
        if link.v6[0].is_unspecified() {
            link.v6 = ends6((taken.next6(), 64));
        }
    }
    let segments = scenario.segments.clone();
    let mut addresses = Addresses::of(scenario, &segments);
    // Routers take the highest addresses of a segment, portals those from .200, hosts those from
    // .20.
    for leg in scenario.routers.iter_mut().flat_map(|it| &mut it.legs) {
        addresses.complete(&leg.segment, &mut leg.v4, &mut leg.v6, Side::High);
    }
    for host in &mut scenario.hosts {
        addresses.complete(&host.segment, &mut host.v4, &mut host.v6, Side::From(20));
    }
    for portal in &mut scenario.portals {
        addresses.complete(
            &portal.segment,
            &mut portal.v4,
            &mut portal.v6,
            Side::From(200),
        );
    }
    for (line, name) in addresses.full {
        problems.note(
            line,
            format!("the net of segment `{name}` is full"),
            "give it a shorter prefix".into(),
        );
    }
    complete_routers_of_hosts(scenario);
    complete_name_servers(scenario, problems);
}

/// Name servers that are named as hosts get their addresses.
fn complete_name_servers(scenario: &mut Scenario, problems: &mut Problems<'_>) {
    for (name, line) in scenario.name_server_hosts.clone() {
        match scenario.host(&name) {
            Some(host) => {
                let addresses: [std::net::IpAddr; 2] = [host.v4.into(), host.v6.into()];
                scenario.name_servers.extend(addresses);
            }
            None => problems.note(
                line,
                format!("`{name}` is neither an address nor the name of a host"),
                "write it as in `192.0.2.53`, or a host of this file".into(),
            ),
        }
    }
}

/// A host or portal that names no router sends through the first on its segment.
fn complete_routers_of_hosts(scenario: &mut Scenario) {
    let first = |segment: &str| {
        let on = |name: &str| name == segment;
        let router = scenario
            .routers
            .iter()
            .find(|router| router.legs.iter().any(|leg| on(&leg.segment)));
        router.map(|it| it.name.clone()).unwrap_or_default()
    };
    let vias: Vec<String> = scenario.hosts.iter().map(|it| first(&it.segment)).collect();
    let portal_vias: Vec<String> = scenario
        .portals
        .iter()
        .map(|it| first(&it.segment))
        .collect();
    let rows = scenario.hosts.iter_mut().map(|it| &mut it.via);
    let rows = rows.chain(scenario.portals.iter_mut().map(|it| &mut it.via));
    for (via, first) in rows.zip(vias.into_iter().chain(portal_vias)) {
        if via.is_empty() {
            *via = first;
        }
    }
}

/// Nets that are in use.
struct UsedNets {
    v4: Vec<Net>,
    v6: Vec<Net>,
    offset4: [u32; 2],
    next6: u128,
}

impl UsedNets {
    fn of(scenario: &Scenario) -> UsedNets {
        let segments = scenario.segments.iter();
        let v4 = segments
            .clone()
            .filter(|it| it.v4.1 > 0)
            .filter_map(|it| Net::new(it.v4.0.into(), it.v4.1));
        let links = scenario.links.iter();
        let links4 = links
            .clone()
            .filter(|it| !it.v4[0].is_unspecified())
            .filter_map(|it| Net::new(it.v4[0].into(), 30));
        let v6 = segments
            .filter(|it| it.v6.1 > 0)
            .filter_map(|it| Net::new(it.v6.0.into(), it.v6.1));
        let links6 = links
            .filter(|it| !it.v6[0].is_unspecified())
            .filter_map(|it| Net::new(it.v6[0].into(), 64));
        UsedNets {
            v4: v4.chain(links4).collect(),
            v6: v6.chain(links6).collect(),
            offset4: [0; 2],
            next6: 0,
        }
    }

    /// The next net of `2^bits` addresses (`bits` is 8 for a /24, 2 for a /30) from `base` on that
    /// meets no other.
    fn next4(&mut self, base: u32, bits: u32) -> Ipv4Addr {
        let kind = usize::from(bits == 2);
        loop {
            let net = Ipv4Addr::from(base + (self.offset4[kind] << bits));
            self.offset4[kind] += 1;
            let last = Ipv4Addr::from(u32::from(net) + (1 << bits) - 1);
            let meets = |it: &Net| {
                it.contains(net.into())
                    || it.contains(last.into())
                    || (IpAddr::V4(net)..=IpAddr::V4(last)).contains(&it.address())
            };
            if !self.v4.iter().any(meets) {
                return net;
            }
        }
    }

    fn next6(&mut self) -> Ipv6Addr {
        loop {
            let net = Ipv6Addr::from(NETS6 + (self.next6 << 64));
            self.next6 += 1;
            if !self.v6.iter().any(|it| it.contains(net.into())) {
                return net;
            }
        }
    }
}

enum Side {
    High,
    From(u32),
}

/// Addresses that are in use.
struct Addresses<'s> {
    segments: &'s [SegmentRow],
    taken: BTreeSet<IpAddr>,
    full: Vec<(usize, String)>,
}

impl<'s> Addresses<'s> {
    fn of(scenario: &Scenario, segments: &'s [SegmentRow]) -> Addresses<'s> {
        let legs = scenario.routers.iter().flat_map(|it| &it.legs);
        let taken = legs
            .map(|it| (it.v4, it.v6))
            .chain(scenario.hosts.iter().map(|it| (it.v4, it.v6)))
            .chain(scenario.portals.iter().map(|it| (it.v4, it.v6)))
            .flat_map(|(v4, v6)| [IpAddr::from(v4), IpAddr::from(v6)])
            .collect();
        Addresses {
            segments,
            taken,
            full: Vec::new(),
        }
    }

    fn complete(&mut self, segment: &str, v4: &mut Ipv4Addr, v6: &mut Ipv6Addr, side: Side) {
        let Some(row) = self.segments.iter().find(|it| it.name == segment) else {
            return;
        };
        if v4.is_unspecified() {
            let size = 1_u32 << (32 - u32::from(row.v4.1)).min(16);
            let base = u32::from(row.v4.0);
            let free = |n: &u32| !self.taken.contains(&Ipv4Addr::from(base + n).into());
            let found = match side {
                Side::High => (1..size.saturating_sub(1)).rev().find(free),
                Side::From(first) => {
                    let first = first.min(size * 7 / 8).max(1);
                    (first..size.saturating_sub(1)).chain(1..first).find(free)
                }
            };
            match found {
                Some(n) => *v4 = Ipv4Addr::from(base + n),
                None => self.full.push((row.line, row.name.clone())),
            }
            self.taken.insert((*v4).into());
        }
        if v6.is_unspecified() {
            // The host part of IPv6 repeats that of IPv4, so that one knows them apart at a glance.
            let base = u128::from(row.v6.0);
            let mut n = u128::from(u32::from(*v4) - u32::from(row.v4.0));
            while !self.taken.insert(Ipv6Addr::from(base + n).into()) {
                n += 1;
            }
            *v6 = Ipv6Addr::from(base + n);
        }
    }
}
