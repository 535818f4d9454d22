//! Rows A1 to A28 of the threat model: reaching what was not declared. Not here, because the gate
//! has no part in them: A21 (names are resolved before the gate exists), A22 (labels are the
//! checker's; the gate's half is A19), A23 (a warning of the review: what a permitted relay does is
//! beyond any gate), A24 (the socket's own filter).

use crate::build::*;
use crate::world::*;
use crafty_policy::{Author, Budget, Gate, LinkKind, Policy, Power, Reserved};
use crafty_value::Time;
use std::net::{IpAddr, Ipv4Addr};

fn v4_of(text: &str) -> Ipv4Addr {
    text.parse().unwrap()
}

#[test]
fn ordinary_probes_leave() {
    let rows: &[Vec<u8>] = &[
        echo(US, PEER),
        echo(US6, FAR6),
        udp(US, FAR, (40000, 53), b"query"),
        udp(US6, PEER6, (40000, 33435), b""),
        tcp(US, FAR, (45000, 80), SYN, b""),
        tcp(US, FAR, (45000, 80), !SYN, b"odd flags"),
        tcp(US6, FAR6, (45100, 80), ACK, b"GET"),
        udp(
            "10.9.9.9",
            FAR,
            (40000, 53),
            b"own address of another interface",
        ),
    ];
    for packet in rows {
        assert_eq!(raw(policy(&[]), packet), "sent", "{packet:02x?}");
    }
    assert_eq!(framed(policy(&[]), &to(PEER_MAC, &echo(US, PEER))), "sent");
    assert_eq!(
        framed(policy(&[]), &to(GATEWAY_MAC, &echo(US, FAR))),
        "sent"
    );
    assert_eq!(
        framed(policy(&[]), &to(GATEWAY_MAC, &echo(US6, FAR6))),
        "sent"
    );
}

#[test]
fn a01_source_routes_never_leave_and_other_options_need_the_power() {
    for kind in 2..=255u8 {
        for len in 2..=40u8 {
            let mut options = vec![0u8; 40];
            (options[0], options[1]) = (kind, len);
            let packet = v4(
                v4_of(US),
                v4_of(PEER),
                1,
                &options,
                (0, 0),
                &icmp_header(US, PEER, 8, 0, [0; 4], b""),
            );
            let routed = matches!(kind & 0x1f, 3 | 9);
            assert_eq!(
                raw(policy(&[]), &packet),
                if routed { "source_route" } else { "ip_options" },
                "{kind} {len}"
            );
            assert_eq!(
                raw(policy(&[Power::IpOptions]), &packet),
                if routed { "source_route" } else { "sent" },
                "{kind} {len}"
            );
        }
    }
    // Behind no-operations, and where an earlier length lies.
    for options in [[1, 1, 1, 0x83, 4, 4, 0, 0], [7, 200, 4, 0, 0x89, 4, 4, 0]] {
        let packet = v4(
            v4_of(US),
            v4_of(PEER),
            1,
            &options,
            (0, 0),
            &icmp_header(US, PEER, 8, 0, [0; 4], b""),
        );
        assert_eq!(
            raw(policy(&[Power::IpOptions, Power::Malformed]), &packet),
            "source_route"
        );
    }
}

/// A routing header of a type with these addresses, then an ICMPv6 echo whose checksum is for the
/// last of them.
fn routed(kind: u8, segments: &[&str]) -> Vec<u8> {
    let mut header = vec![
        0,
        0,
        kind,
        segments.len() as u8,
        segments.len().saturating_sub(1) as u8,
        0,
        0,
        0,
    ];
    for segment in segments {
        let IpAddr::V6(address) = ip(segment) else {
            panic!("IPv6 only")
        };
        header.extend(address.octets());
    }
    let inside = extension(
        58,
        header,
        &icmp_header(US6, segments.last().unwrap(), 128, 0, [0; 4], b""),
    );
    packet(US6, PEER6, 43, &inside)
}

#[test]
fn a02_routing_headers_lead_to_destinations_only() {
    let rows = [
        (0, &[FAR6][..], "source_route"),
        (1, &[FAR6], "source_route"),
        (2, &[FAR6], "sent"),
        (2, &["2001:db8:9::9"], "destination"),
        (3, &[FAR6], "source_route"),
        (4, &[FAR6], "sent"),
        (4, &[FAR6, PEER6], "sent"),
        (4, &[FAR6, "2001:db8:9::9"], "destination"),
        (4, &[FAR6, "64:ff9b::169.254.169.254"], "never"),
        (255, &[FAR6], "source_route"),
    ];
    for (kind, segments, expected) in rows {
        assert_eq!(
            raw(policy(&[Power::IpOptions]), &routed(kind, segments)),
            expected,
            "{kind} {segments:?}"
        );
        assert_ne!(raw(policy(&[]), &routed(kind, segments)), "sent");
    }
    let home = extension(
        17,
        [&[0, 0, 1, 2, 0, 0, 0xc9, 16][..], &[0x20; 16]].concat(),
        &udp_header(US6, PEER6, (40000, 9), b""),
    );
    assert_eq!(
        raw(policy(&[Power::IpOptions]), &packet(US6, PEER6, 60, &home)),
        "source_route"
    );
    for (left, expected) in [
        (0, "sent"),
        (1, "sent"),
        (2, "source_route"),
        (255, "source_route"),
    ] {
        let mut packet = routed(4, &[FAR6]);
        packet[43] = left;
        assert_eq!(
            raw(policy(&[Power::IpOptions]), &packet),
            expected,
            "{left}"
        );
    }
}

#[test]
fn a03_only_tcp_udp_and_icmp_need_no_power() {
    for protocol in (0..=255u8).filter(|protocol| ![1, 6, 17].contains(protocol)) {
        let name = raw(policy(&[]), &packet(US, PEER, protocol, &[0; 64]));
        assert!(
            [
                "tunnel",
                "transport",
                "opaque",
                "infrastructure",
                "unreadable",
                "ip_options",
                "never"
            ]
            .contains(&name),
            "{protocol}: {name}"
        );
    }
    // An authentication header hides nothing.
    let authenticated = [
        &[6, 4, 0, 0][..],
        &[0; 20],
        &tcp_header(US, PEER, (45000, 81), SYN, b""),
    ]
    .concat();
    let limited = Policy {
        destination_ports: Some(ports(&[(80, 80)], &[])),
        ..policy(&[Power::IpOptions])
    };
    assert_eq!(
        raw(limited, &packet(US, PEER, 51, &authenticated)),
        "destination_port"
    );
}

/// Every carrier that the gate can look into, around an inner packet.
fn carriers(inner: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let four = inner[0] >> 4 == 4;
    let kind: u16 = if four { 0x0800 } else { 0x86dd };
    let frame = ethernet(PEER_MAC, MAC, kind, inner);
    let by = |protocol, body: &[&[u8]]| packet(US, PEER, protocol, &body.concat());
    let over = |port, body: &[&[u8]]| udp(US, PEER, (40000, port), &body.concat());
    let type_bytes = kind.to_be_bytes();
    vec![
        ("IP in IP", by(if four { 4 } else { 41 }, &[inner])),
        ("GRE", by(47, &[&[0, 0], &type_bytes, inner])),
        (
            "GRE with key and sequence",
            by(47, &[&[0x30, 0], &type_bytes, &[0; 8], inner]),
        ),
        ("GRE with Ethernet", by(47, &[&[0, 0, 0x65, 0x58], &frame])),
        (
            "GRE with MPLS",
            by(
                47,
                &[
                    &[0, 0, 0x88, 0x47],
                    &[0, 0, 0x10, 64],
                    &[0, 0, 0x11, 64],
                    inner,
                ],
            ),
        ),
        ("Ethernet in IP", by(97, &[&[0x30, 0], &frame])),
        ("MPLS in IP", by(137, &[&[0, 0, 0x11, 64], inner])),
        ("VXLAN", over(4789, &[&[8, 0, 0, 0, 0, 0, 1, 0], &frame])),
        (
            "VXLAN on the old port",
            over(8472, &[&[8, 0, 0, 0, 0, 0, 1, 0], &frame]),
        ),
        (
            "VXLAN GPE",
            over(
                4790,
                &[&[12, 0, 0, if four { 1 } else { 2 }, 0, 0, 1, 0], inner],
            ),
        ),
        (
            "Geneve",
            over(
                6081,
                &[&[1, 0], &type_bytes, &[0, 0, 1, 0], &[0, 1, 0x80, 0], inner],
            ),
        ),
        (
            "Geneve with Ethernet",
            over(6081, &[&[0, 0, 0x65, 0x58, 0, 0, 1, 0], &frame]),
        ),
        ("GTP", over(2152, &[&[0x30, 255, 0, 0, 0, 0, 0, 1], inner])),
        (
            "GTP with an extension",
            over(
                2152,
                &[
                    &[0x34, 255, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0x85, 1, 0, 0, 0],
                    inner,
                ],
            ),
        ),
        ("LISP", over(4341, &[&[0; 8], inner])),
        ("GRE in UDP", over(4754, &[&[0, 0], &type_bytes, inner])),
        ("MPLS in UDP", over(6635, &[&[0, 0, 0x11, 64], inner])),
        (
            "VXLAN with LLC",
            over(4789, &[&[8, 0, 0, 0, 0, 0, 1, 0], &llc(inner)]),
        ),
        (
            "VXLAN with a tag",
            over(4789, &[&[8, 0, 0, 0, 0, 0, 1, 0], &tagged(inner)]),
        ),
    ]
}

fn llc(inner: &[u8]) -> Vec<u8> {
    let body = [&[0xaa, 0xaa, 3, 0, 0, 0, 8, 0][..], inner].concat();
    ethernet(PEER_MAC, MAC, body.len() as u16, &body)
}

fn tagged(inner: &[u8]) -> Vec<u8> {
    let kind: [u8; 2] = if inner[0] >> 4 == 4 {
        [8, 0]
    } else {
        [0x86, 0xdd]
    };
    ethernet(PEER_MAC, MAC, 0x8100, &[&[0, 5][..], &kind, inner].concat())
}

#[test]
fn a03_a04_what_tunnels_carry_must_be_permitted_too() {
    let tunnels = || policy(&[Power::Tunnels, Power::Link]);
    for (name, packet) in carriers(&udp(US, FAR, (40000, 9), b"x")) {
        assert_eq!(raw(tunnels(), &packet), "sent", "{name}");
        assert_eq!(raw(policy(&[Power::Link]), &packet), "tunnel", "{name}");
    }
    for (name, packet) in carriers(&udp(US, STRANGER, (40000, 9), b"x")) {
        assert_eq!(raw(tunnels(), &packet), "destination", "{name}");
    }
    for (name, packet) in carriers(&udp(STRANGER, FAR, (40000, 9), b"x")) {
        assert_eq!(raw(tunnels(), &packet), "source", "{name}");
    }
    for (name, packet) in carriers(&tcp(US, FAR, (1, 9), ACK, b"x")) {
        assert_eq!(raw(tunnels(), &packet), "inject", "{name}");
    }
    for (name, packet) in carriers(&udp(US, "169.254.169.254", (40000, 80), b"x")) {
        assert_eq!(raw(anything(), &packet), "never", "{name}");
    }
    for (name, packet) in carriers(&tcp(US, FAR, (45000, 9), SYN, b"x")) {
        assert_eq!(charged(tunnels(), &packet).syns, 1, "{name}");
    }
    let teredo = udp(
        US,
        PEER,
        (40000, 3544),
        &[&[0; 8][..], &echo(US6, "2001:db8:9::9")].concat(),
    );
    assert_eq!(raw(tunnels(), &teredo), "destination");
}

#[test]
fn a04_opaque_carriers_need_the_power_and_nesting_ends() {
    for port in [1194, 4500, 51820] {
        for ports in [(40000, port), (port, 40000)] {
            let packet = udp(US, PEER, ports, &[0; 40]);
            let with = |power| policy(&[Power::Inject, power]);
            assert_eq!(raw(with(Power::Tunnels), &packet), "opaque");
            assert_eq!(raw(with(Power::Opaque), &packet), "sent");
        }
    }
    let mut packet = echo(US, PEER);
    for depth in 2..=20 {
        packet = crate::build::packet(US, PEER, 4, &packet);
        assert_eq!(
            raw(policy(&[Power::Tunnels]), &packet),
            if depth <= 4 { "sent" } else { "unreadable" },
            "{depth}"
        );
    }
    let labels = udp(US, PEER, (40000, 6635), &[0; 200]);
    assert_eq!(raw(policy(&[Power::Tunnels]), &labels), "unreadable");
}

#[test]
fn a05_of_all_ether_types_only_ip_needs_no_power() {
    let inside = echo(US, PEER);
    let mut gate = gate(policy(&[]));
    for kind in 0..=u16::MAX {
        let name = name(gate.judge(
            Time(0),
            &ethernet(PEER_MAC, MAC, kind, &inside),
            LinkKind::Ethernet,
            MAIN,
        ));
        assert_eq!(name == "sent", kind == 0x0800, "{kind:04x} {name}");
    }
    assert_eq!(framed(policy(&[]), &tagged(&inside)), "tag");
    assert_eq!(framed(policy(&[]), &llc(&inside)), "tag");
    assert_eq!(framed(policy(&[Power::Link]), &tagged(&inside)), "sent");
    // Tags hide nothing, however many and of whatever make.
    for count in 1..=6 {
        let tags = [0x81, 0, 0, 5].repeat(count);
        let frame = [&PEER_MAC[..], &MAC, &tags, &[8, 0], &echo(US, STRANGER)].concat();
        let name = framed(policy(&[Power::Link]), &frame);
        assert_eq!(
            name,
            if count <= 4 {
                "destination"
            } else {
                "unreadable"
            }
        );
    }
    for (kind, len) in [(0x8926, 4), (0x893f, 6), (0xf1c1, 4)] {
        let body = |packet: &[u8]| [&vec![0; len][..], &[8, 0], packet].concat();
        let frame = |packet: Vec<u8>| ethernet(PEER_MAC, MAC, kind, &body(&packet));
        assert_eq!(
            framed(policy(&[Power::Link]), &frame(echo(US, PEER))),
            "tunnel"
        );
        assert_eq!(
            framed(policy(&[Power::Tunnels]), &frame(echo(US, PEER))),
            "sent"
        );
        assert_eq!(
            framed(
                policy(&[Power::Link, Power::Tunnels]),
                &frame(echo(US, STRANGER))
            ),
            "destination"
        );
    }
    assert_eq!(
        framed(policy(&[Power::Link]), &tagged(&echo(US, STRANGER))),
        "destination"
    );
    assert_eq!(
        framed(policy(&[Power::Link]), &llc(&echo(US, STRANGER))),
        "destination"
    );
}

#[test]
fn a06_a_fragment_too_short_for_its_ports_is_refused_in_either_order() {
    for (us, peer) in [(US, PEER), (US6, PEER6)] {
        let whole = tcp_header(us, peer, (45000, 80), SYN, &[0; 8]);
        let first = fragment(us, peer, 6, 1, 0, true, &whole[..8]);
        let second = fragment(us, peer, 6, 1, 8, false, &whole[8..]);
        for order in [[&first, &second], [&second, &first]] {
            let mut gate = gate(policy(&[Power::Fragments, Power::Malformed, Power::Inject]));
            for piece in order {
                assert_eq!(
                    name(gate.judge(Time(0), piece, LinkKind::RawIp, MAIN)),
                    "bad_fragment"
                );
            }
        }
        assert_eq!(
            raw(policy(&[Power::Inject, Power::Malformed]), &first),
            "fragment"
        );
        // Options of TCP belong to its header.
        let mut long = tcp_header(us, peer, (45000, 80), SYN, &[0; 40]);
        long[12] = 0xf0;
        let cut = fragment(us, peer, 6, 1, 0, true, &long[..24]);
        assert_eq!(
            raw(policy(&[Power::Fragments, Power::Malformed]), &cut),
            "bad_fragment"
        );
    }
}

#[test]
fn a06_fragments_of_a_correct_datagram_need_only_their_power() {
    for (us, peer) in [(US, PEER), (US6, PEER6)] {
        let whole = udp_header(us, peer, (40000, 9), &[7; 100]);
        let mut gate = gate(policy(&[Power::Fragments]));
        for (from, to) in [(0, 24), (64, 108), (24, 64)] {
            let piece = fragment(us, peer, 17, 9, from, to != 108, &whole[from..to]);
            assert_eq!(
                name(gate.judge(Time(0), &piece, LinkKind::RawIp, MAIN)),
                "sent",
                "{from}"
            );
        }
    }
}

#[test]
fn a08_no_fragment_goes_before_the_first_and_that_holds_the_chain() {
    let later = fragment(US, PEER, 17, 1, 64, false, &[0; 16]);
    assert_eq!(raw(policy(&[Power::Fragments]), &later), "bad_fragment");
    let inside = packet(
        US,
        PEER,
        4,
        &fragment(
            US,
            FAR,
            17,
            1,
            0,
            true,
            &udp_header(US, FAR, (40000, 9), &[0; 16]),
        ),
    );
    assert_eq!(
        raw(policy(&[Power::Fragments, Power::Tunnels]), &inside),
        "bad_fragment"
    );
    let options = extension(6, vec![0, 0, 1, 4, 0, 0, 0, 0], &[]);
    let first = fragment(US6, PEER6, 60, 1, 0, true, &options);
    assert_eq!(
        raw(
            policy(&[
                Power::Fragments,
                Power::IpOptions,
                Power::Malformed,
                Power::Inject
            ]),
            &first
        ),
        "bad_fragment"
    );
}

#[test]
fn a09_long_chains_are_refused_and_short_ones_read_to_their_end() {
    let syn = tcp_header(US6, PEER6, (45000, 81), SYN, b"");
    let limited = |powers: &[Power]| Policy {
        destination_ports: Some(ports(&[(80, 80)], &[])),
        ..policy(powers)
    };
    for count in 1..=10 {
        let chain = (0..count).fold((6, syn.clone()), |(next, body), _| {
            (60, extension(next, vec![0, 0, 1, 4, 0, 0, 0, 0], &body))
        });
        let expected = if count <= 8 {
            "destination_port"
        } else {
            "unreadable"
        };
        assert_eq!(
            raw(
                limited(&[Power::IpOptions]),
                &packet(US6, PEER6, 60, &chain.1)
            ),
            expected,
            "{count}"
        );
    }
    let atomic = fragment(US6, PEER6, 6, 1, 0, false, &syn);
    assert_eq!(raw(policy(&[]), &atomic), "fragment");
    assert_eq!(
        raw(limited(&[Power::Fragments]), &atomic),
        "destination_port"
    );
    assert_eq!(charged(policy(&[Power::Fragments]), &atomic).syns, 1);
}

/// Every form in which IPv6 carries this IPv4 address.
pub fn forms(v4: &str) -> Vec<String> {
    let bits = v4_of(v4).to_bits();
    let (high, low) = (bits >> 16, bits & 0xffff);
    vec![
        format!("64:ff9b::{v4}"),
        format!("64:ff9b:1::{v4}"),
        format!("2001:db8:64::{v4}"),
        format!("2002:{high:x}:{low:x}::1"),
        format!("2001:0:{high:x}:{low:x}::39cc:9bf8"),
        format!("2001:0:c633:6407::{:x}:{:x}", !high & 0xffff, !low & 0xffff),
        format!("fe80::5efe:{v4}"),
        format!("2001:db8::200:5efe:{v4}"),
        format!("::{v4}"),
    ]
}

#[test]
fn a10_an_ipv4_address_inside_an_ipv6_one_counts() {
    for inside in [
        "169.254.169.254",
        "127.0.0.1",
        "168.63.129.16",
        "192.0.2.10",
        "10.9.9.9",
    ] {
        for form in forms(inside) {
            assert_eq!(raw(anything(), &echo(US6, &form)), "never", "{form}");
        }
    }
    for form in forms(STRANGER) {
        let only_v6 = Policy {
            destinations: set(&["::/0"]),
            ..anything()
        };
        assert_eq!(raw(only_v6, &echo(US6, &form)), "destination", "{form}");
        let both = Policy {
            destinations: set(&["::/0", STRANGER, FAR]),
            ..anything()
        };
        assert_eq!(raw(both, &echo(US6, &form)), "sent", "{form}");
    }
    assert_eq!(raw(anything(), &echo(US6, "::ffff:203.0.113.9")), "mapped");
}

#[test]
fn a11_groups_need_the_power_and_an_entry_of_their_own() {
    let groups = [
        "224.0.0.5",
        "239.1.2.3",
        "255.255.255.255",
        "192.0.2.255",
        "192.0.2.0",
        "10.9.255.255",
        "ff02::1",
        "ff0e::7",
    ];
    for group in groups {
        let us = if ip(group).is_ipv4() { US } else { US6 };
        let packet = udp(us, group, (40000, 9), b"x");
        let with = |entries: &[&str], powers: &[Power]| Policy {
            destinations: set(entries),
            ..policy(powers)
        };
        assert_eq!(
            raw(with(&["0.0.0.0/0", "::/0"], &[]), &packet),
            "broadcast",
            "{group}"
        );
        assert_eq!(
            raw(with(&["0.0.0.0/0", "::/0"], &[Power::Broadcast]), &packet),
            "group_destination",
            "{group}"
        );
        assert_eq!(raw(with(&[group], &[]), &packet), "broadcast", "{group}");
        assert_eq!(
            raw(with(&[group], &[Power::Broadcast]), &packet),
            "sent",
            "{group}"
        );
        assert_eq!(
            raw(
                with(
                    &[
                        "!224.0.0.0/3",
                        "!192.0.2.0/24",
                        "!10.9.0.0/16",
                        "!ff00::/8",
                        group
                    ],
                    &[Power::Broadcast]
                ),
                &packet
            ),
            "group_destination"
        );
    }
    let packet = echo(US, PEER);
    for mac in [[0xff; 6], [1, 0, 0x5e, 0, 2, 20], [0x33, 0x33, 0, 0, 0, 1]] {
        assert_eq!(
            framed(policy(&[Power::Link]), &to(mac, &packet)),
            "group_mac"
        );
        assert_eq!(
            framed(policy(&[Power::Link, Power::Broadcast]), &to(mac, &packet)),
            "sent"
        );
    }
    let listed = Policy {
        destinations: set(&["224.0.0.5"]),
        ..policy(&[Power::Broadcast])
    };
    let packet = udp(US, "224.0.0.5", (40000, 9), b"x");
    assert_eq!(
        framed(listed.clone(), &to([1, 0, 0x5e, 0, 0, 5], &packet)),
        "sent"
    );
    assert_eq!(framed(listed, &to(PEER_MAC, &packet)), "next_hop");
}

#[test]
fn a12_both_macs_are_the_hosts_and_the_next_hops() {
    let near = echo(US, PEER);
    let far = echo(US, FAR);
    let rows: &[(Vec<u8>, &str)] = &[
        (ethernet(PEER_MAC, OTHER_MAC, 0x0800, &near), "source_mac"),
        (to(OTHER_MAC, &near), "next_hop"),
        (to(GATEWAY_MAC, &near), "next_hop"),
        (to(PEER_MAC, &far), "next_hop"),
        (to(GATEWAY_MAC, &far), "sent"),
        (to(PEER_MAC, &echo(US, "192.0.2.21")), "next_hop"),
        (to(GATEWAY_MAC, &echo(US, "192.0.2.21")), "next_hop"),
    ];
    for (frame, expected) in rows {
        assert_eq!(framed(policy(&[]), frame), *expected);
        assert_eq!(framed(policy(&[Power::Link]), frame), "sent");
    }
    let mut gate = gate(policy(&[]));
    gate.learn(ip("192.0.2.21"), crafty_value::Mac(OTHER_MAC));
    assert_eq!(
        name(gate.judge(
            Time(0),
            &to(OTHER_MAC, &echo(US, "192.0.2.21")),
            LinkKind::Ethernet,
            MAIN
        )),
        "sent"
    );
}

#[test]
fn a13_arp_and_nd_speak_for_the_program_only() {
    let arp_frame = |to: [u8; 6], body: Vec<u8>| ethernet(to, MAC, 0x0806, &body);
    let zero = [0; 6];
    let broadcast = [0xff; 6];
    let poison = arp_frame(PEER_MAC, arp(2, (MAC, "192.0.2.1"), (PEER_MAC, PEER)));
    let gratuitous = arp_frame(broadcast, arp(1, (MAC, PEER), (zero, PEER)));
    let asks = arp_frame(broadcast, arp(1, (MAC, US), (zero, PEER)));
    let asks_gateway = arp_frame(broadcast, arp(1, (MAC, US), (zero, "192.0.2.1")));
    let asks_stranger = arp_frame(broadcast, arp(1, (MAC, US), (zero, "192.0.2.99")));
    let answers = arp_frame(OTHER_MAC, arp(2, (MAC, US), (OTHER_MAC, "192.0.2.99")));
    let foreign_mac = arp_frame(PEER_MAC, arp(2, (OTHER_MAC, US), (PEER_MAC, PEER)));
    let na_poison = to(PEER_MAC, &nd(136, US6, PEER6, "2001:db8::1", MAC));
    let na_spoofed = to(PEER_MAC, &nd(136, "2001:db8::1", PEER6, US6, MAC));
    let ns = to(
        [0x33, 0x33, 0xff, 0, 0, 0x20],
        &nd(135, US6, "ff02::1:ff00:20", PEER6, MAC),
    );
    let ns_stranger = to(
        [0x33, 0x33, 0xff, 0, 0, 0x99],
        &nd(135, US6, "ff02::1:ff00:99", "2001:db8::99", MAC),
    );
    let na = to(OTHER_MAC, &nd(136, US6, "2001:db8::99", US6, MAC));
    let na_to_all = to([0x33, 0x33, 0, 0, 0, 1], &nd(136, US6, "ff02::1", US6, MAC));
    let mut ns_from_afar = ns.clone();
    ns_from_afar[14 + 7] = 64;
    // frame, main program without power, main program with it, automatic stack without it
    let rows: &[(&str, &[u8], &str, &str, &str)] = &[
        (
            "poison",
            &poison,
            "resolution_sender",
            "resolution_sender",
            "resolution_sender",
        ),
        (
            "gratuitous",
            &gratuitous,
            "resolution_sender",
            "resolution_sender",
            "resolution_sender",
        ),
        ("asks", &asks, "infrastructure", "sent", "sent"),
        (
            "asks gateway",
            &asks_gateway,
            "infrastructure",
            "sent",
            "sent",
        ),
        (
            "asks stranger",
            &asks_stranger,
            "infrastructure",
            "neighbour",
            "infrastructure",
        ),
        ("answers", &answers, "infrastructure", "neighbour", "sent"),
        (
            "foreign mac",
            &foreign_mac,
            "resolution_mac",
            "resolution_mac",
            "resolution_mac",
        ),
        (
            "na poison",
            &na_poison,
            "resolution_sender",
            "resolution_sender",
            "resolution_sender",
        ),
        (
            "na spoofed",
            &na_spoofed,
            "resolution_sender",
            "resolution_sender",
            "resolution_sender",
        ),
        ("ns", &ns, "infrastructure", "sent", "sent"),
        (
            "ns stranger",
            &ns_stranger,
            "infrastructure",
            "neighbour",
            "infrastructure",
        ),
        ("na", &na, "infrastructure", "neighbour", "sent"),
        (
            "na to all",
            &na_to_all,
            "infrastructure",
            "announcement",
            "infrastructure",
        ),
        (
            "ns from elsewhere",
            &ns_from_afar,
            "broadcast",
            "broadcast",
            "broadcast",
        ),
    ];
    for (what, frame, plain, granted, automatic) in rows {
        assert_eq!(framed(policy(&[]), frame), *plain, "{what}");
        assert_eq!(
            framed(policy(&[Power::Infrastructure]), frame),
            *granted,
            "{what}"
        );
        assert_eq!(
            framed_by(policy(&[]), Author::Stack, frame),
            *automatic,
            "{what}"
        );
    }
    let inside = udp(
        US,
        PEER,
        (40000, 4789),
        &[&[8, 0, 0, 0, 0, 0, 1, 0][..], &poison].concat(),
    );
    assert_eq!(
        raw(policy(&[Power::Tunnels, Power::Infrastructure]), &inside),
        "resolution_sender"
    );
    let declared = Policy {
        sources: set(&["192.0.2.66"]),
        ..policy(&[])
    };
    let answers_for_it = arp_frame(
        GATEWAY_MAC,
        arp(2, (MAC, SPOOFED), (GATEWAY_MAC, "192.0.2.1")),
    );
    assert_eq!(framed_by(declared, Author::Stack, &answers_for_it), "sent");
}

#[test]
fn a14_protocols_that_keep_a_network_together_need_the_power() {
    let port = |from, to| udp(US, PEER, (from, to), &[0; 48]);
    let packets = [
        ("DHCP server", port(67, 68)),
        ("DHCP client", port(68, 67)),
        ("DHCPv6", udp(US6, PEER6, (546, 547), &[0; 48])),
        ("RIP", port(520, 520)),
        ("HSRP", port(1985, 1985)),
        ("BFD", port(3784, 3784)),
        ("BGP", tcp(US, PEER, (45000, 179), SYN, b"")),
        ("OSPF", packet(US, PEER, 89, &[0; 24])),
        ("VRRP", packet(US, PEER, 112, &[0; 24])),
        ("IGMP", packet(US, PEER, 2, &[0; 8])),
        ("PIM", packet(US6, PEER6, 103, &[0; 8])),
        (
            "router advertisement",
            icmp(US6, PEER6, 134, 0, [0; 4], &[0; 8]),
        ),
        ("MLD", icmp(US6, PEER6, 131, 0, [0; 4], &[0; 16])),
        (
            "ICMP router advertisement",
            icmp(US, PEER, 9, 0, [0; 4], b""),
        ),
    ];
    for (name, packet) in packets {
        assert_eq!(
            raw(policy(&[Power::Inject]), &packet),
            "infrastructure",
            "{name}"
        );
        let granted = [Power::Inject, Power::Infrastructure, Power::AnyNeighbour];
        assert_eq!(raw(policy(&granted), &packet), "sent", "{name}");
    }
    let stp = ethernet(
        [1, 0x80, 0xc2, 0, 0, 0],
        MAC,
        38,
        &[&[0x42, 0x42, 3][..], &[0; 43]].concat(),
    );
    let lldp = ethernet([1, 0x80, 0xc2, 0, 0, 0x0e], MAC, 0x88cc, &[0; 46]);
    let cdp = ethernet(
        [1, 0, 0x0c, 0xcc, 0xcc, 0xcc],
        MAC,
        46,
        &[&[0xaa, 0xaa, 3, 0, 0, 0x0c, 0x20, 0][..], &[0; 38]].concat(),
    );
    for frame in [stp, lldp, cdp] {
        let with = |powers: &[Power]| framed(policy(powers), &frame);
        assert_eq!(with(&[Power::AnyNeighbour]), "infrastructure");
        assert_eq!(with(&[Power::Infrastructure]), "any_neighbour");
        assert_eq!(with(&[Power::Infrastructure, Power::AnyNeighbour]), "sent");
    }
}

#[test]
fn a15_icmp_errors_are_about_own_flows() {
    let own = udp(PEER, US, (53, 40000), b"answer");
    let foreign_port = udp(PEER, US, (53, 5353), b"answer");
    let foreign = udp(PEER, STRANGER, (53, 40000), b"answer");
    let strangers = udp(STRANGER, US, (53, 40000), b"answer");
    for kind in 0..=255u8 {
        for code in [0, 1, 3, 4, 15, 255] {
            let error = |quote: &[u8]| icmp(US, PEER, kind, code, [192, 0, 2, 1], quote);
            let is_error = [3, 4, 5, 11, 12].contains(&kind);
            let plain = if [9, 10].contains(&kind) {
                "infrastructure"
            } else {
                "sent"
            };
            let with = || policy(&[Power::Control]);
            assert_eq!(
                raw(policy(&[]), &error(&own)),
                if is_error { "control" } else { plain },
                "{kind}"
            );
            assert_eq!(raw(with(), &error(&own)), plain, "{kind}");
            for quote in [&foreign_port, &foreign, &strangers, &own[..20].to_vec()] {
                assert_eq!(
                    raw(with(), &error(quote)),
                    if is_error { "foreign_quote" } else { plain },
                    "{kind}"
                );
            }
        }
    }
    let other_id = icmp(PEER, US, 0, 0, [0, 78, 0, 1], b"");
    for (quote, expected) in [(echo(PEER, US), "sent"), (other_id, "foreign_quote")] {
        assert_eq!(
            raw(
                policy(&[Power::Control]),
                &icmp(US, PEER, 3, 1, [0; 4], &quote)
            ),
            expected
        );
    }
    // A redirect to a router that is nobody's.
    assert_eq!(
        raw(
            policy(&[Power::Control]),
            &icmp(US, PEER, 5, 0, [203, 0, 113, 9], &own)
        ),
        "foreign_quote"
    );
    let own6 = tcp(PEER6, US6, (80, 45000), ACK, b"answer");
    let foreign6 = tcp(PEER6, FAR6, (80, 45000), ACK, b"answer");
    for kind in 1..=4 {
        assert_eq!(
            raw(policy(&[]), &icmp(US6, PEER6, kind, 0, [0, 0, 5, 0], &own6)),
            "control"
        );
        assert_eq!(
            raw(
                policy(&[Power::Control]),
                &icmp(US6, PEER6, kind, 0, [0, 0, 5, 0], &own6)
            ),
            "sent"
        );
        assert_eq!(
            raw(
                policy(&[Power::Control]),
                &icmp(US6, PEER6, kind, 0, [0, 0, 5, 0], &foreign6)
            ),
            "foreign_quote"
        );
    }
    let redirect = |to: &str, destination: &str| {
        let octets = |text: &str| text.parse::<std::net::Ipv6Addr>().unwrap().octets();
        icmp(
            US6,
            PEER6,
            137,
            0,
            [0; 4],
            &[octets(to), octets(destination)].concat(),
        )
    };
    assert_eq!(
        raw(policy(&[Power::Control]), &redirect("2001:db8::1", US6)),
        "sent"
    );
    assert_eq!(
        raw(policy(&[Power::Control]), &redirect(US6, FAR6)),
        "foreign_quote"
    );
    assert_eq!(
        raw(policy(&[Power::Control]), &redirect("2001:db8::99", US6)),
        "foreign_quote"
    );
}

#[test]
fn a16_segments_belong_to_own_flows() {
    let declared = || Policy {
        sources: set(&[SPOOFED]),
        ..policy(&[])
    };
    for flags in 0..=255u8 {
        let opens = flags & 0x16 == SYN;
        let foreign = tcp(SPOOFED, PEER, (80, 50000), flags, b"x");
        let unowned = tcp(US, PEER, (22, 50000), flags, b"x");
        let owned = tcp(US, PEER, (45000, 50000), flags, b"x");
        let spoofs = |policy: Policy| Policy {
            budget: Budget {
                spoofed_syns: 9,
                ..policy.budget
            },
            ..policy
        };
        assert_eq!(raw(policy(&[]), &foreign), "source");
        assert_eq!(
            raw(spoofs(declared()), &foreign),
            if opens { "sent" } else { "inject_as_another" },
            "{flags:02x}"
        );
        assert_eq!(
            raw(policy(&[]), &unowned),
            if opens { "sent" } else { "inject" },
            "{flags:02x}"
        );
        assert_eq!(raw(policy(&[Power::Inject]), &unowned), "sent");
        assert_eq!(raw(policy(&[]), &owned), "sent");
    }
    assert_eq!(raw(policy(&[]), &udp(US, PEER, (22, 9), b"x")), "inject");
    assert_eq!(
        raw(policy(&[Power::Inject]), &udp(US, PEER, (22, 9), b"x")),
        "sent"
    );
}

#[test]
fn a16_a_conversation_that_a_peer_opened_may_be_answered() {
    let mut gate = gate(Policy {
        destination_ports: Some(ports(&[(80, 80)], &[])),
        ..policy(&[])
    });
    let answer = tcp(US, PEER, (45000, 51234), SYN | ACK, b"");
    assert_eq!(
        name(gate.judge(Time(0), &answer, LinkKind::RawIp, MAIN)),
        "destination_port"
    );
    assert!(gate.may_hear(&tcp(PEER, US, (51234, 45000), SYN, b""), LinkKind::RawIp));
    assert_eq!(
        name(gate.judge(Time(0), &answer, LinkKind::RawIp, MAIN)),
        "sent"
    );
    for other in [
        tcp(US, PEER, (45000, 51235), ACK, b""),
        tcp(US, FAR, (45000, 51234), ACK, b""),
        udp(US, PEER, (40000, 51234), b""),
    ] {
        assert_eq!(
            name(gate.judge(Time(0), &other, LinkKind::RawIp, MAIN)),
            "destination_port"
        );
    }
    // Not by an answer, not to a port that is not owned, not by a stranger.
    for heard in [
        tcp(PEER, US, (1, 45000), ACK, b""),
        tcp(PEER, US, (1, 22), SYN, b""),
        tcp(STRANGER, US, (1, 45000), SYN, b""),
    ] {
        gate.may_hear(&heard, LinkKind::RawIp);
    }
    for back in [
        tcp(US, PEER, (45000, 1), ACK, b""),
        tcp(US, PEER, (22, 1), ACK, b""),
    ] {
        assert_eq!(
            name(gate.judge(Time(0), &back, LinkKind::RawIp, MAIN)),
            "destination_port"
        );
    }
}

#[test]
fn a17_a_spoofed_source_towards_an_amplifier_needs_the_power_and_pays() {
    let declared = |powers: &[Power]| Policy {
        sources: set(&[SPOOFED]),
        ..policy(powers)
    };
    for (port, factor) in [
        (53, 54),
        (123, 557),
        (11211, 51_000),
        (1900, 31),
        (19, 359),
        (389, 70),
    ] {
        let spoofed = udp(SPOOFED, PEER, (40000, port), b"12345678");
        let own = udp(US, PEER, (40000, port), b"12345678");
        assert_eq!(raw(declared(&[]), &spoofed), "reflection", "{port}");
        assert_eq!(raw(declared(&[]), &own), "sent", "{port}");
        assert_eq!(
            charged(declared(&[Power::Reflection]), &spoofed).bytes,
            36 * factor,
            "{port}"
        );
        assert_eq!(charged(declared(&[]), &own).bytes, 36);
    }
    assert_eq!(
        raw(declared(&[]), &udp(SPOOFED, PEER, (40000, 9), b"x")),
        "sent"
    );
}

#[test]
fn a18_spoofed_syns_have_a_count_of_their_own() {
    let mut asked = Policy {
        sources: set(&[SPOOFED]),
        ..policy(&[])
    };
    let syn = tcp(SPOOFED, PEER, (45000, 80), SYN, b"");
    assert_eq!(raw(asked.clone(), &syn), "spoofed_syns");
    asked.budget.spoofed_syns = 2;
    let mut gate = gate(asked);
    for expected in ["sent", "sent", "spoofed_syns"] {
        assert_eq!(
            name(gate.judge(Time(0), &syn, LinkKind::RawIp, MAIN)),
            expected
        );
    }
    assert_eq!(
        name(gate.judge(
            Time(0),
            &tcp(US, PEER, (45000, 80), SYN, b""),
            LinkKind::RawIp,
            MAIN
        )),
        "sent"
    );
}

const NEVER: &[&str] = &[
    "127.0.0.1",
    "127.255.255.254",
    "0.0.0.0",
    "0.1.2.3",
    "192.0.2.10",
    "10.9.9.9",
    "169.254.169.254",
    "169.254.170.2",
    "168.63.129.16",
    "100.100.100.200",
    "192.0.0.192",
    "::1",
    "::",
    "2001:db8::10",
    "fe80::10",
    "fd00:ec2::254",
    "fd20:ce::254",
];

#[test]
fn a19_a20_the_hosts_own_addresses_and_metadata_services_are_never_destinations() {
    for address in NEVER {
        let us = if ip(address).is_ipv4() { US } else { US6 };
        assert_eq!(raw(anything(), &echo(us, address)), "never", "{address}");
        let opened = Policy::operator(
            Some(Policy {
                opened: set(&[address]),
                ..Policy::everything()
            }),
            [],
        );
        assert_eq!(raw(opened.clone(), &echo(us, address)), "sent", "{address}");
        // The program cannot open, and what is opened must still be listed.
        let program = Policy {
            destinations: set(&[PEER]),
            ..Policy::program()
        };
        assert_eq!(
            raw(program.meet(&opened), &echo(us, address)),
            "destination",
            "{address}"
        );
        assert_eq!(
            raw(
                Policy {
                    destinations: set(&[address]),
                    ..Policy::program()
                }
                .meet(&anything()),
                &echo(us, address)
            ),
            "never"
        );
    }
}

#[test]
fn a19_loopback_works_where_an_operator_opened_it() {
    let host = crafty_policy::HostAddresses {
        interface: "lo".into(),
        macs: vec![crafty_value::Mac([0; 6])],
        addresses: vec![(ip("127.0.0.1"), 8), (ip("::1"), 128)],
        mtu: 65_536,
        ..Default::default()
    };
    let program = Policy {
        destinations: set(&["127.0.0.1", "::1"]),
        ports: ports(&[], &[(40000, 40000)]),
        ..Policy::program()
    };
    let opened = Policy {
        opened: set(&["127.0.0.0/8", "::1"]),
        ..Policy::everything()
    };
    for (operator, expected) in [
        (Policy::operator(Some(opened), []), "sent"),
        (Policy::operator(None, []), "never"),
    ] {
        let mut gate = Gate::new(
            program.meet(&operator),
            host.clone(),
            Time(0),
            Reserved::default(),
        );
        for packet in [
            udp("127.0.0.1", "127.0.0.1", (40000, 9), b"x"),
            echo("::1", "::1"),
        ] {
            let kind = if packet[0] >> 4 == 4 { 0x0800 } else { 0x86dd };
            let frame = ethernet([0; 6], [0; 6], kind, &packet);
            assert_eq!(
                name(gate.judge(Time(0), &frame, LinkKind::Ethernet, MAIN)),
                expected
            );
            assert!(gate.may_hear(&frame, LinkKind::Ethernet));
        }
    }
    // From elsewhere, a loopback source is a spoofed one.
    assert_eq!(raw(policy(&[]), &echo("127.0.0.1", PEER)), "source");
}

#[test]
fn a25_lengths_and_checksums_are_exact() {
    let change = |mut octets: Vec<u8>, at: usize, value: u8| {
        octets[at] = value;
        octets
    };
    let datagram = udp(US, PEER, (40000, 9), b"12345678");
    let segment = tcp(US, PEER, (45000, 80), ACK, b"12345678");
    let six = udp(US6, PEER6, (40000, 9), b"12345678");
    let short_udp = sealed(US, PEER, 17, 6, change(datagram[20..].to_vec(), 5, 12));
    let long_tcp = sealed(US, PEER, 6, 16, change(segment[20..].to_vec(), 12, 0xf0));
    let rows = [
        ("total length more", change(datagram.clone(), 3, 99)),
        ("total length less", change(datagram.clone(), 3, 30)),
        (
            "total length less than the header",
            change(datagram.clone(), 3, 10),
        ),
        (
            "header checksum",
            change(datagram.clone(), 10, datagram[10] ^ 1),
        ),
        ("header length 4", change(datagram.clone(), 0, 0x44)),
        ("header length 15", change(datagram.clone(), 0, 0x4f)),
        ("version 5", change(datagram.clone(), 0, 0x55)),
        ("UDP length more", change(datagram.clone(), 25, 17)),
        ("UDP length less", change(datagram.clone(), 25, 9)),
        (
            "UDP length less, checksum right",
            packet(US, PEER, 17, &short_udp),
        ),
        (
            "TCP offset 15, checksum right",
            packet(US, PEER, 6, &long_tcp),
        ),
        (
            "UDP checksum",
            change(datagram.clone(), 27, datagram[27] ^ 1),
        ),
        ("UDP data", change(datagram.clone(), 30, 0)),
        ("TCP offset 4", change(segment.clone(), 32, 0x40)),
        ("TCP offset 15", change(segment.clone(), 32, 0xf0)),
        ("TCP checksum", change(segment.clone(), 36, segment[36] ^ 1)),
        ("TCP cut short", packet(US, PEER, 6, &segment[20..35])),
        ("UDP cut short", packet(US, PEER, 17, &datagram[20..25])),
        ("ICMP cut short", packet(US, PEER, 1, &[8, 0, 0xf7])),
        ("ICMP checksum", change(echo(US, PEER), 22, 0)),
        ("payload length more", change(six.clone(), 5, 99)),
        ("payload length less", change(six.clone(), 5, 12)),
        (
            "IPv6 UDP without checksum",
            change(change(six.clone(), 46, 0), 47, 0),
        ),
        (
            "option length",
            v4(
                v4_of(US),
                v4_of(PEER),
                17,
                &[7, 9, 4, 0],
                (0, 0),
                &datagram[20..],
            ),
        ),
        ("after no next header", packet(US6, PEER6, 59, b"hidden")),
    ];
    for (what, packet) in rows {
        assert!(
            ["malformed", "unreadable", "source_route"]
                .contains(&raw(policy(&[Power::IpOptions, Power::Inject]), &packet)),
            "{what}"
        );
        let granted = raw(
            policy(&[Power::IpOptions, Power::Malformed, Power::Inject]),
            &packet,
        );
        assert!(
            ["sent", "unreadable", "source_route"].contains(&granted),
            "{what}: {granted}"
        );
    }
    // A jumbo payload option hides the transport from the length field.
    let hop_by_hop = extension(
        6,
        vec![0, 0, 0xc2, 4, 0, 1, 0, 0],
        &tcp_header(US6, PEER6, (22, 80), ACK, b""),
    );
    let mut jumbo = packet(US6, PEER6, 0, &hop_by_hop);
    jumbo[4..6].fill(0);
    assert_eq!(
        raw(policy(&[Power::Malformed, Power::IpOptions]), &jumbo),
        "hidden_flow"
    );
    // What is malformed earns no permission: ports that cannot be read are not listed ones.
    let limited = Policy {
        destination_ports: Some(ports(&[(80, 80)], &[(9, 9)])),
        ..policy(&[Power::Malformed, Power::Inject])
    };
    assert_eq!(
        raw(limited.clone(), &packet(US, PEER, 6, &segment[20..35])),
        "hidden_port"
    );
    assert_eq!(
        raw(limited, &packet(US, PEER, 17, &datagram[20..25])),
        "hidden_port"
    );
    assert_eq!(
        raw(
            policy(&[Power::Malformed]),
            &packet(US, PEER, 6, &segment[20..35])
        ),
        "hidden_flow"
    );
    assert_eq!(
        charged(
            policy(&[Power::Malformed, Power::Inject]),
            &packet(US, PEER, 6, &segment[20..30])
        )
        .syns,
        1
    );
}

#[test]
fn a26_nothing_follows_the_datagram_but_zeros_that_pad_a_short_frame() {
    let frame = to(PEER_MAC, &echo(US, PEER));
    let with = |octets: &[u8]| [&frame[..], octets].concat();
    let room = 60 - frame.len();
    assert_eq!(framed(policy(&[]), &with(&vec![0; room])), "sent");
    assert_eq!(framed(policy(&[]), &with(&vec![0; room + 1])), "malformed");
    for at in 0..room {
        let mut tail = vec![0; room];
        tail[at] = 0xca;
        assert_eq!(framed(policy(&[]), &with(&tail)), "malformed");
    }
    let mut asks = ethernet([0xff; 6], MAC, 0x0806, &arp(1, (MAC, US), ([0; 6], PEER)));
    asks.resize(60, 0);
    assert_eq!(framed_by(policy(&[]), Author::Stack, &asks), "sent");
    asks[59] = 1;
    assert_eq!(framed_by(policy(&[]), Author::Stack, &asks), "malformed");
}
