//! The host of the gate, what it may do, and addresses to try.

use super::offers::OfferDice;
use crafty_policy::{AddressListEntry, AddressSet, Budget, HostAddresses, Policy, Ports, Power};
use crafty_value::Mac;
use std::net::IpAddr;

pub const NEAR_MAC: [u8; 6] = [2, 0, 0, 0, 0, 0xa];
pub const FAR_MAC: [u8; 6] = [2, 0, 0, 0, 0, 0xb];
pub const US: [u8; 4] = [192, 0, 2, 1];
pub const US6: [u8; 16] = [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];

/// Whom the program may reach: the same words for the gate and for the kernel.
pub const DESTINATIONS: &[&str] = &[
    "198.51.100.0/25",
    "203.0.113.9",
    "2001:db8:7::/48",
    "2001:db8::20",
];
/// As whom it may speak: its own addresses, and a declared one of each family.
pub const SOURCES: &[&str] = &["192.0.2.1", "192.0.2.66", "2001:db8::1", "2001:db8::66"];
pub const TCP_PORTS: (&str, &[(u16, u16)]) =
    ("80, 443, 8000-8100", &[(80, 80), (443, 443), (8000, 8100)]);
pub const UDP_PORTS: (&str, &[(u16, u16)]) = (
    "9, 53, 2152, 4789, 6081",
    &[(9, 9), (53, 53), (2152, 2152), (4789, 4789), (6081, 6081)],
);
pub const OWN_PORTS: (&str, (u16, u16)) = ("40000-45100", (40_000, 45_100));

/// One set of permissions, by what it adds to the least.
pub struct PermissionCase {
    pub name: &'static str,
    pub powers: &'static [Power],
    /// Whether destination ports are limited.
    pub ports: bool,
}

pub const CASES: &[PermissionCase] = &[
    PermissionCase {
        name: "no power",
        powers: &[],
        ports: true,
    },
    PermissionCase {
        name: "options",
        powers: &[Power::IpOptions],
        ports: true,
    },
    PermissionCase {
        name: "lies",
        powers: &[Power::Malformed, Power::IpOptions],
        ports: true,
    },
    PermissionCase {
        name: "fragments",
        powers: &[Power::Fragments],
        ports: true,
    },
    PermissionCase {
        name: "overlapping fragments",
        powers: &[Power::Fragments, Power::Malformed, Power::IpOptions],
        ports: true,
    },
    PermissionCase {
        name: "tunnels",
        powers: &[Power::Tunnels, Power::Link],
        ports: true,
    },
    PermissionCase {
        name: "tunnels to any port",
        powers: &[Power::Tunnels, Power::Link, Power::IpOptions],
        ports: false,
    },
    PermissionCase {
        name: "tags and lies in tunnels",
        powers: &[Power::Tunnels, Power::Link, Power::Malformed],
        ports: false,
    },
    PermissionCase {
        name: "everything that can be read",
        powers: &[
            Power::Malformed,
            Power::Fragments,
            Power::Link,
            Power::Infrastructure,
            Power::Tunnels,
            Power::IpOptions,
            Power::Control,
            Power::Reflection,
            Power::Broadcast,
        ],
        ports: true,
    },
];

fn address_set(entries: &[&str]) -> AddressSet {
    entries
        .iter()
        .map(|text| text.parse::<AddressListEntry>().expect("an entry"))
        .collect()
}

fn ip(text: &str) -> IpAddr {
    text.parse().expect("an address")
}

impl PermissionCase {
    pub fn policy(&self) -> Policy {
        let own = [OWN_PORTS.1].into_iter().collect();
        let listed = Ports {
            tcp: TCP_PORTS.1.iter().copied().collect(),
            udp: UDP_PORTS.1.iter().copied().collect(),
            ..Ports::default()
        };
        let asked = Policy {
            budget: Budget::UNLIMITED,
            destinations: address_set(DESTINATIONS),
            destination_ports: self.ports.then_some(listed),
            sources: address_set(SOURCES),
            ports: Ports {
                tcp: own,
                udp: [OWN_PORTS.1].into_iter().collect(),
                icmp: [(0, u16::MAX)].into_iter().collect(),
            },
            powers: self.powers.iter().copied().collect(),
            ..Policy::program()
        };
        asked.meet(&Policy::builtin())
    }

    pub fn grants(&self, power: Power) -> bool {
        self.powers.contains(&power)
    }
}

/// The host that the frames leave from. Every way leads to the one neighbour.
pub fn gate_host() -> HostAddresses {
    let routers = ["192.0.2.254", "2001:db8::fe"];
    let neighbours = routers.iter().chain(&["2001:db8::20"]);
    HostAddresses {
        interface: "to_b".into(),
        macs: vec![Mac(NEAR_MAC)],
        addresses: vec![(ip("192.0.2.1"), 24), (ip("2001:db8::1"), 64)],
        gateways: routers.map(ip).into(),
        neighbours: neighbours.map(|text| (ip(text), Mac(FAR_MAC))).collect(),
        mtu: 1500,
        ..HostAddresses::default()
    }
}

/// Addresses that frames are sent to, permitted and not.
pub struct Addresses {
    good: Vec<IpAddr>,
    bad: Vec<IpAddr>,
}

impl Addresses {
    pub fn new() -> Addresses {
        let good = [
            "198.51.100.2",
            "198.51.100.127",
            "203.0.113.9",
            "2001:db8:7::7",
            "2001:db8::20",
        ];
        let bad = [
            "198.51.100.128",
            "203.0.113.8",
            "169.254.169.254",
            "127.0.0.1",
            "0.0.0.0",
            "192.0.2.1",
            "192.0.2.255",
            "255.255.255.255",
            "224.0.0.5",
            "192.0.2.254",
            "2001:db8:8::7",
            "::1",
            "::",
            "ff02::1",
            "fe80::a9fe:a9fe",
            "fd00:ec2::254",
            "2001:db8::1",
            "64:ff9b::169.254.169.254",
            "2002:a9fe:a9fe::1",
            "2001:db8:7::5efe:203.0.113.8",
            "2001:db8:7:0:200:5efe:7f00:1",
            "::ffff:198.51.100.2",
        ];
        Addresses {
            good: good.map(ip).into(),
            bad: bad.map(ip).into(),
        }
    }

    /// One of us and one that may be reached, of an address length.
    pub fn permitted(&self, size: usize, dice: &mut OfferDice) -> (Vec<u8>, Vec<u8>) {
        let us = if size == 4 { US.to_vec() } else { US6.to_vec() };
        (us, among(&self.good, size, dice))
    }

    /// Any, of an address length.
    pub fn any(&self, size: usize, dice: &mut OfferDice) -> Vec<u8> {
        match dice.below(3) {
            0 => among(&self.good, size, dice),
            _ => among(&self.bad, size, dice),
        }
    }
}

fn among(list: &[IpAddr], size: usize, dice: &mut OfferDice) -> Vec<u8> {
    let of_size: Vec<Vec<u8>> = list
        .iter()
        .map(|address| match address {
            IpAddr::V4(a) => a.octets().to_vec(),
            IpAddr::V6(a) => a.octets().to_vec(),
        })
        .filter(|bytes| bytes.len() == size)
        .collect();
    of_size[dice.below(of_size.len())].clone()
}
