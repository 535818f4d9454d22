//! A host, its policy and its gate, for the tests.

use crate::build::{ethernet, ip};
use crafty_policy::{
    AddressListEntry, AddressSet, Author, Budget, FrameOrigin, Gate, GateReport, HostAddresses,
    LinkKind, Policy, PortSet, Ports, Power, Reserved, Verdict,
};
use crafty_value::{Mac, Time};
use proptest::prelude::ProptestConfig;

pub const US: &str = "192.0.2.10";
pub const PEER: &str = "192.0.2.20";
pub const FAR: &str = "198.51.100.7";
pub const US6: &str = "2001:db8::10";
pub const PEER6: &str = "2001:db8::20";
pub const FAR6: &str = "2001:db8:7::7";
pub const STRANGER: &str = "203.0.113.9";
pub const SPOOFED: &str = "192.0.2.66";

pub const MAC: [u8; 6] = [2, 0, 0, 0, 0, 1];
pub const PEER_MAC: [u8; 6] = [2, 0, 0, 0, 0, 0x20];
pub const GATEWAY_MAC: [u8; 6] = [2, 0, 0, 0, 0, 0xfe];
pub const OTHER_MAC: [u8; 6] = [2, 0, 0, 0, 0, 0x99];

pub fn host() -> HostAddresses {
    HostAddresses {
        interface: "eth0".into(),
        macs: vec![Mac(MAC)],
        addresses: vec![(ip(US), 24), (ip(US6), 64), (ip("fe80::10"), 64)],
        others: vec![(ip("127.0.0.1"), 8), (ip("::1"), 128), (ip("10.9.9.9"), 16)],
        gateways: vec![ip("192.0.2.1"), ip("2001:db8::1")],
        neighbours: [
            ("192.0.2.1", GATEWAY_MAC),
            ("2001:db8::1", GATEWAY_MAC),
            (PEER, PEER_MAC),
            (PEER6, PEER_MAC),
        ]
        .map(|(address, mac)| (ip(address), Mac(mac)))
        .into(),
        mtu: 1500,
        nat64: vec!["2001:db8:64::/96".parse::<AddressListEntry>().unwrap().net],
    }
}

pub fn set(entries: &[&str]) -> AddressSet {
    entries
        .iter()
        .map(|text| text.parse::<AddressListEntry>().unwrap())
        .collect()
}

pub fn ports(tcp: &[(u16, u16)], udp: &[(u16, u16)]) -> Ports {
    Ports {
        tcp: PortSet::from_iter(tcp.iter().copied()),
        udp: PortSet::from_iter(udp.iter().copied()),
        icmp: [(77, 77)].into_iter().collect(),
    }
}

/// An ordinary program's policy with some powers; met with an operator who said nothing.
pub fn policy(powers: &[Power]) -> Policy {
    let asked = Policy {
        destinations: set(&[PEER, FAR, PEER6, FAR6, "192.0.2.21", "198.51.100.8"]),
        ports: ports(&[(45000, 45100)], &[(40000, 40100)]),
        powers: powers.iter().copied().collect(),
        ..Policy::program()
    };
    asked.meet(&Policy::operator(None, []))
}

/// Every power, every destination that an operator who said nothing leaves, and no limit.
pub fn anything() -> Policy {
    Policy::builtin()
}

pub fn gate(policy: Policy) -> Gate {
    Gate::new(policy, host(), Time(0), Reserved::default())
}

pub const MAIN: FrameOrigin = FrameOrigin {
    author: Author::Main,
    site: 0,
    reactive: false,
    chosen_bits: 0,
};

/// The name of the reason why a fresh gate refuses an IP packet on a link without Ethernet; `sent`
/// if it does not.
pub fn raw(policy: Policy, packet: &[u8]) -> &'static str {
    name(gate(policy).judge(Time(0), packet, LinkKind::RawIp, MAIN))
}

/// The same for an Ethernet frame.
pub fn framed(policy: Policy, frame: &[u8]) -> &'static str {
    framed_by(policy, Author::Main, frame)
}

pub fn framed_by(policy: Policy, author: Author, frame: &[u8]) -> &'static str {
    name(gate(policy).judge(
        Time(0),
        frame,
        LinkKind::Ethernet,
        FrameOrigin { author, ..MAIN },
    ))
}

/// An Ethernet frame around an IP packet.
pub fn to(mac: [u8; 6], packet: &[u8]) -> Vec<u8> {
    ethernet(
        mac,
        MAC,
        if packet[0] >> 4 == 4 { 0x0800 } else { 0x86dd },
        packet,
    )
}

pub fn name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Send => "sent",
        Verdict::Hold { .. } => "held",
        Verdict::Drop(reason) => reason.name(),
    }
}

/// What a gate without limits charges for a packet.
pub fn charged(policy: Policy, packet: &[u8]) -> GateReport {
    let mut gate = gate(Policy {
        budget: Budget {
            ..Budget::UNLIMITED
        },
        ..policy
    });
    assert_eq!(
        name(gate.judge(Time(0), packet, LinkKind::RawIp, MAIN)),
        "sent"
    );
    gate.report()
}

/// So many cases; `GATE_TIMES=100` makes it a hundred times as many.
pub fn config(cases: u32) -> ProptestConfig {
    let times = std::env::var("GATE_TIMES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1);
    ProptestConfig {
        cases: cases * times,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}
