//! Attacks tried with the source in hand, by kind. Each row says what the gate answers; what got through
//! when it was tried has its fix beside it in the gate.

use crate::build::*;
use crate::world::*;
use crafty_policy::{
    AMPLIFIERS, Author, FORBIDDEN, Forbidden, LinkKind, POWERS, Policy, Power, Verdict,
};
use crafty_value::{Mac, Time};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Every power but that for carriers which nobody can read.
fn all_but_opaque() -> Policy {
    let powers: Vec<Power> = POWERS
        .iter()
        .map(|row| row.power)
        .filter(|power| *power != Power::Opaque)
        .collect();
    policy(&powers)
}

fn stranger() -> Vec<u8> {
    udp(US, STRANGER, (40000, 9), b"out")
}

/// Link headers behind which some receiver finds IP: whoever may send frames for any neighbour may not
/// send packets to strangers in them.
#[test]
fn ip_behind_rare_link_headers_is_read() {
    let behind =
        |kind: u16, before: &[u8]| ethernet(PEER_MAC, MAC, kind, &[before, &stranger()].concat());
    let llc = |before: &[u8]| {
        let body = [before, &stranger()].concat();
        ethernet(PEER_MAC, MAC, body.len() as u16, &body)
    };
    let inner = to(PEER_MAC, &stranger());
    let bridged = |before: &[u8]| {
        let body = [before, &inner].concat();
        ethernet(PEER_MAC, MAC, body.len() as u16, &body)
    };
    let rows: &[(&str, Vec<u8>)] = &[
        ("HSR", behind(0x892f, &[0, 60, 0, 1, 8, 0])),
        ("Cisco metadata", behind(0x8909, &[1, 1, 0, 1, 0, 7, 8, 0])),
        (
            "FabricPath",
            ethernet(PEER_MAC, MAC, 0x8903, &[&[0, 0x7f][..], &inner].concat()),
        ),
        ("tag 9200", behind(0x9200, &[0, 5, 8, 0])),
        ("tag 9300", behind(0x9300, &[0, 5, 8, 0])),
        (
            "LLC behind its own type",
            behind(0x8870, &[0xaa, 0xaa, 3, 0, 0, 0, 8, 0]),
        ),
        ("SNAP", llc(&[0xaa, 0xaa, 3, 0, 0, 0, 8, 0])),
        (
            "SNAP with the poll bit",
            llc(&[0xaa, 0xaa, 0x13, 0, 0, 0, 8, 0]),
        ),
        ("SNAP of bridges", llc(&[0xaa, 0xaa, 3, 0, 0, 0xf8, 8, 0])),
        (
            "SNAP to a group of points",
            llc(&[0xab, 0xaa, 3, 0, 0, 0, 8, 0]),
        ),
        ("IP over LLC", llc(&[6, 6, 3])),
        (
            "bridged over SNAP",
            bridged(&[0xaa, 0xaa, 3, 0, 0x80, 0xc2, 0, 7]),
        ),
        (
            "bridged over SNAP with its check sequence",
            bridged(&[0xaa, 0xaa, 3, 0, 0x80, 0xc2, 0, 1]),
        ),
        (
            "GRE version 1 that says it is empty",
            to(
                PEER_MAC,
                &packet(
                    US,
                    PEER,
                    47,
                    &[
                        &[0x30, 0x81, 8, 0, 0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 2][..],
                        &stranger(),
                    ]
                    .concat(),
                ),
            ),
        ),
    ];
    for (name, frame) in rows {
        assert_ne!(framed(all_but_opaque(), frame), "sent", "{name}");
    }
}

/// Carriers over UDP by the ports that are assigned to them.
#[test]
fn carriers_that_nobody_reads_are_known_by_their_ports() {
    for port in [3386, 4242, 5072, 9899, 9993, 12222, 37008, 41641] {
        // Whose own end has any port is known by the other end's alone.
        let ends = if port == 41641 { 1 } else { 2 };
        for ports in [(40000, port), (port, 40000)].into_iter().take(ends) {
            let packet = udp(US, PEER, ports, &stranger());
            assert_eq!(raw(all_but_opaque(), &packet), "opaque", "{ports:?}");
        }
    }
    // LISP whose next protocol is named by a header of its own (RFC 9305).
    let packet = udp(
        US,
        PEER,
        (40000, 4341),
        &[&[4, 0, 0, 3, 0, 0, 0, 0][..], &echo(US, FAR)].concat(),
    );
    assert_eq!(raw(all_but_opaque(), &packet), "unreadable");
}

#[test]
fn what_opens_a_connection_is_counted_wherever_it_stands() {
    let hello = [
        &[22, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 12, 1][..],
        &[0; 11],
    ]
    .concat();
    let alert = [&[21, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2][..], &[1, 0]].concat();
    let finished = [
        &[22, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 12, 20][..],
        &[0; 11],
    ]
    .concat();
    let init = [0, 9, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 20];
    let request = [0, 9, 0, 9, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let over = |data: &[u8]| udp(US, PEER, (40000, 4433), data);
    let rows: &[(&str, Vec<u8>, u64)] = &[
        ("DTLS hello", over(&hello), 1),
        (
            "DTLS hello behind another record",
            over(&[&alert[..], &hello].concat()),
            1,
        ),
        (
            "DTLS hello behind another message",
            over(&[&finished[..], &hello].concat()),
            1,
        ),
        (
            "DTLS without a hello",
            over(&[&alert[..], &finished].concat()),
            0,
        ),
        ("DTLS that goes on for long", over(&alert.repeat(40)), 1),
        ("SCTP INIT in UDP", udp(US, PEER, (40000, 9899), &init), 1),
        ("SCTP INIT", packet(US, PEER, 132, &init), 1),
        ("DCCP request", packet(US, PEER, 33, &request), 1),
        (
            "DCCP data",
            packet(
                US,
                PEER,
                33,
                &[0, 9, 0, 9, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0],
            ),
            0,
        ),
    ];
    for (name, packet, syns) in rows {
        assert_eq!(charged(anything(), packet).syns, *syns, "{name}");
    }
}

/// A link address that a receiver may take is the host's own, whichever option it is in.
#[test]
fn neighbour_discovery_gives_no_other_link_address_away() {
    let with = |kind: u8, destination: &str, options: &[u8]| {
        let IpAddr::V6(target) = ip(if kind == 135 { PEER6 } else { US6 }) else {
            panic!()
        };
        icmp(
            US6,
            destination,
            kind,
            0,
            [0; 4],
            &[&target.octets()[..], options].concat(),
        )
    };
    let own = |kind| [&[kind, 1][..], &MAC].concat();
    let other = |kind| [&[kind, 1][..], &OTHER_MAC].concat();
    let long = |kind| [&[kind, 2][..], &MAC, &OTHER_MAC, &[0, 0]].concat();
    let granted = || policy(&[Power::Infrastructure]);
    let send = |packet: &[u8]| framed(granted(), &to(PEER_MAC, packet));
    assert_eq!(send(&with(136, PEER6, &own(2))), "sent");
    for options in [
        [own(1), other(2)].concat(),
        [own(2), other(2)].concat(),
        [vec![14, 1, 0, 0, 0, 0, 0, 0], other(2)].concat(),
    ] {
        assert_eq!(
            send(&with(136, PEER6, &options)),
            "resolution_mac",
            "{options:02x?}"
        );
    }
    assert_ne!(
        send(&with(136, PEER6, &long(2))),
        "sent",
        "an option of another length"
    );
}

/// A question about a destination goes to it or to the group that it listens on, to nobody else.
#[test]
fn questions_go_to_whom_they_ask_for() {
    let granted = || policy(&[Power::Infrastructure]);
    let ask = |to: &str| nd(135, US6, to, PEER6, MAC);
    assert_eq!(
        framed(
            granted(),
            &to([0x33, 0x33, 0xff, 0, 0, 0x20], &ask("ff02::1:ff00:20"))
        ),
        "sent"
    );
    assert_eq!(framed(granted(), &to(PEER_MAC, &ask(PEER6))), "sent");
    for stranger in ["2001:db8::99", "fe80::99"] {
        assert_eq!(
            framed(granted(), &to(OTHER_MAC, &ask(stranger))),
            "destination",
            "{stranger}"
        );
    }
}

/// ARP in a carrier is about a destination too.
#[test]
fn arp_inside_carriers_asks_for_destinations_only() {
    let inside = |target: &str| {
        let frame = ethernet([0xff; 6], MAC, 0x0806, &arp(1, (MAC, US), ([0; 6], target)));
        udp(
            US,
            PEER,
            (40000, 4789),
            &[&[8, 0, 0, 0, 0, 0, 1, 0][..], &frame].concat(),
        )
    };
    let granted = || {
        policy(&[
            Power::Infrastructure,
            Power::Tunnels,
            Power::Link,
            Power::Broadcast,
        ])
    };
    assert_eq!(raw(granted(), &inside(PEER)), "sent");
    assert_eq!(raw(granted(), &inside("192.0.2.99")), "neighbour");
}

/// What stops a link or moves routes needs the power for it, with every other one granted.
#[test]
fn what_holds_a_network_together_is_known() {
    let without = || {
        let powers: Vec<Power> = POWERS
            .iter()
            .map(|row| row.power)
            .filter(|p| *p != Power::Infrastructure)
            .collect();
        policy(&powers)
    };
    let pause = ethernet([1, 0x80, 0xc2, 0, 0, 1], MAC, 0x8808, &[0, 1, 0xff, 0xff]);
    assert_eq!(framed(without(), &pause), "infrastructure");
    for port in [269, 654, 6784, 7784] {
        assert_eq!(
            raw(without(), &udp(US, PEER, (40000, port), b"x")),
            "infrastructure",
            "{port}"
        );
    }
    assert_eq!(
        raw(without(), &tcp(US, PEER, (45000, 639), SYN, b"")),
        "infrastructure"
    );
}

/// Every form in which an IPv6 address carries this IPv4 one.
fn embeddings(v4: Ipv4Addr) -> Vec<String> {
    crate::attacks::forms(&v4.to_string())
}

/// The ends of a net, and one in the middle.
fn members(row: &Forbidden) -> Vec<IpAddr> {
    let net = crafty_value::Net::new(row.address, row.prefix).expect("a net");
    let middle = match (net.address(), net.last()) {
        (IpAddr::V4(a), IpAddr::V4(b)) => {
            Ipv4Addr::from_bits(a.to_bits() / 2 + b.to_bits() / 2 + 1).into()
        }
        (IpAddr::V6(a), IpAddr::V6(b)) => {
            Ipv6Addr::from_bits(a.to_bits() / 2 + b.to_bits() / 2 + 1).into()
        }
        _ => unreachable!(),
    };
    let all = [net.address(), net.last(), middle];
    all.into_iter()
        .filter(|address| net.contains(*address))
        .collect()
}

/// All rows of the never-list by all embeddings, alone, behind a routing header and inside of a carrier.
#[test]
fn no_row_of_the_never_list_is_reached_in_any_form() {
    let mut tried = 0;
    for row in FORBIDDEN {
        for address in members(row) {
            let forms = match address {
                IpAddr::V4(v4) if v4.octets()[0] == 0 => vec![v4.to_string()],
                IpAddr::V4(v4) => [vec![v4.to_string()], embeddings(v4)].concat(),
                IpAddr::V6(v6) => vec![v6.to_string()],
            };
            for form in forms {
                let us = if form.contains(':') { US6 } else { US };
                let plain = udp(us, &form, (40000, 80), b"x");
                assert_eq!(raw(anything(), &plain), "never", "{form} ({})", row.what);
                let carried = packet(US, PEER, if us == US { 4 } else { 41 }, &plain);
                assert_eq!(
                    raw(anything(), &carried),
                    "never",
                    "{form} in IP ({})",
                    row.what
                );
                if let IpAddr::V6(segment) = ip(&form) {
                    let header = [&[0, 0, 4, 1, 0, 0, 0, 0][..], &segment.octets()].concat();
                    let routed = packet(
                        US6,
                        PEER6,
                        43,
                        &extension(17, header, &udp_header(US6, &form, (40000, 80), b"x")),
                    );
                    assert_eq!(
                        raw(anything(), &routed),
                        "never",
                        "{form} as a segment ({})",
                        row.what
                    );
                }
                tried += 1;
            }
        }
    }
    assert!(tried > 200, "{tried}");
}

/// Metadata services of the clouds, by provider, in each family that the provider documents.
#[test]
fn the_clouds_metadata_services_have_rows() {
    let rows = [
        (
            "Amazon",
            &[
                "169.254.169.254",
                "169.254.170.2",
                "169.254.170.23",
                "fd00:ec2::254",
                "fd00:ec2::23",
            ][..],
        ),
        ("Google", &["169.254.169.254", "fd20:ce::254"]),
        ("Azure", &["169.254.169.254", "168.63.129.16"]),
        (
            "Oracle",
            &["169.254.169.254", "192.0.0.192", "fd00:c1::a9fe:a9fe"],
        ),
        ("Alibaba", &["100.100.100.200", "fd00:100::100:200"]),
        ("OpenStack", &["169.254.169.254", "fe80::a9fe:a9fe"]),
        ("Scaleway", &["169.254.42.42", "fd00:42::42"]),
        ("Tencent", &["169.254.0.23", "169.254.10.10"]),
        ("Akamai", &["169.254.169.254", "fd00:a9fe:a9fe::1"]),
    ];
    for (provider, addresses) in rows {
        for address in addresses {
            let us = if address.contains(':') { US6 } else { US };
            assert_eq!(
                raw(anything(), &echo(us, address)),
                "never",
                "{address} of {provider}"
            );
        }
    }
}

/// All rows of the amplifiers: a spoofed source needs the power and pays, in a carrier and as a first
/// fragment too.
#[test]
fn every_amplifier_is_one_in_every_wrapping() {
    for row in AMPLIFIERS {
        let spoofed = || Policy {
            sources: set(&[SPOOFED]),
            ..all_but_opaque()
        };
        let without = || Policy {
            powers: spoofed().powers.without(Power::Reflection),
            ..spoofed()
        };
        let plain = udp(SPOOFED, PEER, (40000, row.port), &[0; 32]);
        let carried = packet(US, PEER, 4, &plain);
        let cut = fragment(
            SPOOFED,
            PEER,
            17,
            7,
            0,
            true,
            &udp_header(SPOOFED, PEER, (40000, row.port), &[0; 32]),
        );
        for (name, packet) in [("plain", &plain), ("carried", &carried), ("cut", &cut)] {
            let said = raw(without(), packet);
            assert!(
                ["reflection", "opaque", "unreadable"].contains(&said),
                "{} {name}: {said}",
                row.service
            );
            if raw(
                Policy {
                    powers: anything().powers,
                    ..spoofed()
                },
                packet,
            ) == "sent"
            {
                let charged = charged(
                    Policy {
                        powers: anything().powers,
                        ..spoofed()
                    },
                    packet,
                )
                .bytes;
                let wire = packet.len() as u64;
                assert_eq!(
                    charged,
                    wire.saturating_mul(row.factor),
                    "{} {name}",
                    row.service
                );
            }
        }
        assert!(row.factor > 1 && !row.source.is_empty() && !row.service.is_empty());
    }
    let ports: Vec<u16> = AMPLIFIERS.iter().map(|row| row.port).collect();
    assert!(ports.is_sorted_by(|a, b| a < b), "by port, each once");
    for port in [4672, 5351] {
        assert!(ports.contains(&port), "{port}");
    }
}

/// Clocks that jump, at the gate: a time that goes back opens no second twice.
#[test]
fn a_time_that_goes_back_opens_no_second_twice() {
    let mut gate = gate(policy(&[]));
    let probe = udp(US, PEER, (40000, 9), b"x");
    let mut left = 0;
    for round in 0..1_000i64 {
        let now = Time((round % 7) * 100_000_000);
        if gate.judge(now, &probe, LinkKind::RawIp, MAIN) == Verdict::Send {
            left += 1;
        }
    }
    assert!(left <= 100, "{left}");
    assert!(gate.report().worst_second.0 <= 100);
}

/// Messages of mobility, HIP and Shim6 move the traffic of others; they look like extension headers
/// and are not options.
#[test]
fn messages_that_look_like_extension_headers_are_transports() {
    for protocol in [135, 139, 140] {
        let message = extension(59, vec![0, 0, 5, 0, 0, 0, 0, 0], b"");
        let packet = packet(US6, PEER6, protocol, &message);
        assert_eq!(raw(all_but_opaque(), &packet), "transport", "{protocol}");
    }
}

/// A neighbour that was learned is not forgotten for another address, and no neighbour opens a group.
#[test]
fn a_learned_neighbour_is_one_address_only() {
    let mut gate = gate(policy(&[]));
    gate.learn(ip("192.0.2.99"), Mac(OTHER_MAC));
    let frame = to(OTHER_MAC, &echo(US, PEER));
    let verdict = gate.judge(Time(0), &frame, LinkKind::Ethernet, MAIN);
    assert_eq!(name(verdict), "next_hop");
    let automatic = framed_by(policy(&[]), Author::Stack, &to([0xff; 6], &echo(US, PEER)));
    assert_eq!(automatic, "group_mac");
}
