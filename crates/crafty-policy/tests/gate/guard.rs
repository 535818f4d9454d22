//! Holes that attackers found, by kind: frames for nobody in particular, carriers, whose flow it is,
//! what may be heard, overlapping fragments.

use crate::build::*;
use crate::world::*;
use crafty_policy::{
    AMPLIFIERS, Author, Budget, Clearance, FORBIDDEN, FrameOrigin, Gate, LinkKind, Policy, Power,
    Reserved, SendLimits, Toll, Verdict,
};
use crafty_value::Time;
use std::net::IpAddr;

const ALL_LINK: [Power; 3] = [Power::Link, Power::Tunnels, Power::Opaque];

/// Nobody can say whom these are for: service chains over the link, unknown types and LLC, and
/// advertisements to everybody.
#[test]
fn frames_for_any_neighbour_need_a_power_that_says_so() {
    let nsh = [
        &[0x0f, 0xc6, 1, 5, 0, 0, 0, 0xff][..],
        &[0; 16],
        &[0, 0, 1, 64],
        &[0; 20],
    ]
    .concat();
    let macsec = [&[0x2c, 0, 0, 0, 0, 1][..], &[0; 40]].concat();
    let frames = [
        (
            "NSH that carries no packet",
            ethernet(
                PEER_MAC,
                MAC,
                0x894f,
                &[&[0x0f, 0xc2, 1, 9, 0, 0, 0, 0xff][..], &nsh].concat(),
            ),
        ),
        ("MACsec", ethernet(PEER_MAC, MAC, 0x88e5, &macsec)),
        ("an unknown type", ethernet(PEER_MAC, MAC, 0x9abc, &[7; 46])),
        (
            "LLC",
            ethernet(
                PEER_MAC,
                MAC,
                3 + 43,
                &[&[0xe0, 0xe0, 3][..], &[0; 43]].concat(),
            ),
        ),
        (
            "PPPoE's negotiation",
            ethernet(
                PEER_MAC,
                MAC,
                0x8864,
                &[
                    &[0x11, 0, 0, 1, 0, 6, 0xc0, 0x21][..],
                    &[1, 1, 0, 4],
                    &[0; 34],
                ]
                .concat(),
            ),
        ),
    ];
    for (what, frame) in frames {
        assert_eq!(framed(policy(&ALL_LINK), &frame), "any_neighbour", "{what}");
        let with = [&ALL_LINK[..], &[Power::AnyNeighbour]].concat();
        assert_eq!(framed(policy(&with), &frame), "sent", "{what}");
    }
    let all = [0x33, 0x33, 0, 0, 0, 1];
    let advertisement = |group: &str| to(all, &icmp(US6, group, 134, 0, [64, 0, 7, 8], &[0; 8]));
    for group in ["ff02::1", "ff02::9", PEER6] {
        let frame = advertisement(group);
        let with = |powers: &[Power]| {
            framed(
                policy(&[powers, &[Power::Link, Power::Broadcast]].concat()),
                &frame,
            )
        };
        assert_eq!(with(&[Power::Infrastructure]), "announcement", "{group}");
        assert_eq!(
            with(&[Power::Infrastructure, Power::AnyNeighbour]),
            "sent",
            "{group}"
        );
    }
    let announced = ethernet([0xff; 6], MAC, 0x0806, &arp(1, (MAC, US), ([0; 6], US)));
    assert_eq!(
        framed(policy(&[Power::Infrastructure]), &announced),
        "announcement"
    );
}

/// What is inside of every carrier that can be read counts, in both directions of its port.
#[test]
fn what_carriers_hold_is_read() {
    let syn = || tcp(US, FAR, (45000, 9), SYN, b"x");
    let stray = || udp(US, STRANGER, (40000, 9), b"x");
    for (name, wrap) in more_carriers() {
        let with = policy(&[Power::Tunnels]);
        assert_eq!(charged(with.clone(), &wrap(&syn())).syns, 1, "{name}");
        assert_eq!(raw(with.clone(), &wrap(&stray())), "destination", "{name}");
        assert_eq!(
            raw(policy(&[Power::Opaque]), &wrap(&syn())),
            "tunnel",
            "{name}"
        );
    }
}

type Wrap = fn(&[u8]) -> Vec<u8>;

fn more_carriers() -> [(&'static str, Wrap); 9] {
    fn over(ports: (u16, u16), parts: &[&[u8]]) -> Vec<u8> {
        udp(US, PEER, ports, &parts.concat())
    }
    fn by(parts: &[&[u8]]) -> Vec<u8> {
        packet(US, PEER, 47, &parts.concat())
    }
    [
        ("L2TP", |p| {
            over((40000, 1701), &[&[0, 2, 0, 1, 0, 2, 0xff, 3, 0, 0x21], p])
        }),
        ("L2TP with every field", |p| {
            over(
                (40000, 1701),
                &[
                    &[
                        0x4a, 2, 0, 99, 0, 1, 0, 2, 0, 0, 0, 0, 0, 2, 0xaa, 0xbb, 0x21,
                    ],
                    p,
                ],
            )
        }),
        ("L2TP from the server", |p| {
            over((40001, 1701), &[&[0, 2, 0, 1, 0, 2, 0x21], p])
        }),
        ("GRE of PPTP", |p| {
            by(&[
                &[0x30, 0x81, 0x88, 0x0b],
                &(p.len() as u16 + 2).to_be_bytes(),
                &[0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0x21],
                p,
            ])
        }),
        ("ERSPAN I", |p| by(&[&[0, 0, 0x88, 0xbe], &to(PEER_MAC, p)])),
        ("ERSPAN II", |p| {
            by(&[
                &[0x10, 0, 0x88, 0xbe, 0, 0, 0, 1],
                &[0x10, 5, 0, 0, 0, 0, 0, 0],
                &to(PEER_MAC, p),
            ])
        }),
        ("ERSPAN III", |p| {
            by(&[
                &[0x10, 0, 0x22, 0xeb, 0, 0, 0, 1],
                &[0x20, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
                &[0; 8],
                &to(PEER_MAC, p),
            ])
        }),
        ("NSH", |p| {
            by(&[&[0, 0, 0x89, 0x4f], &[0x0f, 0xc2, 2, 1, 0, 0, 0, 0xff], p])
        }),
        ("TRILL", |p| {
            by(&[
                &[0, 0, 0x22, 0xf3],
                &[0, 0x40, 0, 1, 0, 2, 9, 9, 9, 9],
                &to(PEER_MAC, p),
            ])
        }),
    ]
}

/// Nobody can tell what is inside of these: they need a power of their own, which the one for tunnels
/// does not give.
#[test]
fn carriers_that_cannot_be_read_need_a_power_of_their_own() {
    let packets = [
        packet(US, PEER, 50, &[0; 40]),
        packet(US, PEER, 108, &[0; 40]),
        packet(US, PEER, 115, &[0; 40]),
        packet(US, PEER, 200, &[0; 40]),
        udp(US, PEER, (40000, 51820), &[4; 40]),
        // Version 3, whose cookie has no length.
        udp(
            US,
            PEER,
            (40000, 1701),
            &[0, 3, 0, 0, 0, 0, 0, 1, 9, 9, 9, 9],
        ),
    ];
    for packet in packets {
        let name = raw(policy(&[Power::Tunnels]), &packet);
        assert!(
            ["opaque", "transport"].contains(&name),
            "{name} {packet:02x?}"
        );
        assert_eq!(
            raw(policy(&[Power::Opaque]), &packet),
            "sent",
            "{packet:02x?}"
        );
    }
    // Multilink and compressed PPP in a carrier that can be read.
    for protocol in [0x3d, 0xfd] {
        let packet = udp(
            US,
            PEER,
            (40000, 1701),
            &[0, 2, 0, 1, 0, 2, 0, protocol, 0, 0],
        );
        let with = |powers: &[Power]| raw(policy(powers), &packet);
        assert_eq!(with(&[Power::Tunnels]), "opaque");
        assert_eq!(with(&[Power::Tunnels, Power::Opaque]), "sent");
    }
}

/// To declare an address is to probe as it, not to continue with what it began.
#[test]
fn a_declared_foreign_source_does_not_make_a_flow_ones_own() {
    let spoofing = |powers: &[Power]| Policy {
        sources: set(&[SPOOFED, "2001:db8::66"]),
        budget: Budget {
            spoofed_syns: 9,
            ..Budget::DEFAULT
        },
        ports: ports(&[(1, 65535)], &[(1, 65535)]),
        ..policy(powers)
    };
    let six = "2001:db8::66";
    let refused = [
        tcp(SPOOFED, PEER, (5123, 80), 4, b""),
        tcp(SPOOFED, PEER, (5123, 80), 0x18, b"injected"),
        tcp(SPOOFED, PEER, (5123, 80), SYN | ACK, b""),
        tcp(SPOOFED, PEER, (5123, 80), SYN | 4, b""),
        tcp(six, PEER6, (5123, 80), ACK, b""),
        udp(SPOOFED, PEER, (53, 40000), b"forged answer"),
        udp(SPOOFED, PEER, (1023, 40000), b"x"),
        udp(SPOOFED, PEER, (1900, 40000), b"x"),
        udp(SPOOFED, PEER, (11211, 40000), b"x"),
        udp(six, PEER6, (5353, 40000), b"x"),
        packet(SPOOFED, PEER, 132, &[0; 16]),
    ];
    for packet in refused {
        assert_eq!(
            raw(spoofing(&[Power::Opaque]), &packet),
            "inject_as_another",
            "{packet:02x?}"
        );
        assert_eq!(
            raw(spoofing(&[Power::Opaque, Power::Inject]), &packet),
            "sent",
            "{packet:02x?}"
        );
    }
    let allowed = [
        tcp(SPOOFED, PEER, (5123, 80), SYN, b""),
        udp(SPOOFED, PEER, (40000, 9), b"probe"),
        echo(SPOOFED, PEER),
        tcp(US, PEER, (5123, 80), ACK, b""),
        udp(US, PEER, (53, 40000), b"own answer"),
    ];
    for packet in allowed {
        assert_eq!(raw(spoofing(&[]), &packet), "sent", "{packet:02x?}");
    }
    // Having no address yet is not being somebody else.
    let asks = udp("0.0.0.0", PEER, (68, 67), b"discover");
    assert_eq!(
        raw(
            Policy {
                sources: set(&[]),
                ..spoofing(&[Power::Infrastructure])
            },
            &asks
        ),
        "sent"
    );
}

/// A server of a routing protocol answers from its port.
#[test]
fn both_ports_of_infrastructure_protocols_count() {
    let open = || Policy {
        ports: ports(&[(1, 65535)], &[(1, 65535)]),
        ..policy(&[])
    };
    let rows = [
        tcp(US, PEER, (179, 50000), ACK, b"open"),
        tcp(US, PEER, (646, 50000), SYN | ACK, b""),
        udp(US, PEER, (67, 40000), b"offer"),
        udp(US, PEER, (520, 40000), b"routes"),
        udp(US6, PEER6, (547, 40000), b"advertise"),
    ];
    for packet in rows {
        assert_eq!(raw(open(), &packet), "infrastructure", "{packet:02x?}");
    }
}

/// What may be heard is limited like what may be sent.
#[test]
fn destination_ports_limit_what_is_heard() {
    let mut gate = gate(Policy {
        destination_ports: Some(ports(&[(80, 80)], &[(53, 53)])),
        ..policy(&[])
    });
    let mut hears = |packet: Vec<u8>| gate.may_hear(&packet, LinkKind::RawIp);
    assert!(hears(udp(PEER, US, (53, 39000), b"answer")));
    assert!(hears(tcp(PEER, US, (80, 50022), ACK, b"answer")));
    assert!(hears(echo(PEER, US)));
    assert!(!hears(tcp(
        PEER,
        US,
        (22, 50022),
        ACK,
        b"somebody's session"
    )));
    assert!(!hears(udp(PEER, US, (514, 514), b"log")));
    assert!(!hears(tcp(PEER, US, (22, 45000), ACK, b"not opened")));
    // A peer opens a conversation with a port of `PORTS`.
    assert!(hears(tcp(PEER, US, (51234, 45000), SYN, b"")));
    assert!(hears(tcp(PEER, US, (51234, 45000), ACK, b"goes on")));
    assert!(hears(udp(PEER, US, (51234, 40000), b"opens")));
    let quoting = |quote: &[u8]| icmp("203.0.113.1", US, 3, 3, [0; 4], quote);
    assert!(hears(quoting(&udp(US, PEER, (40000, 53), b""))));
    assert!(!hears(quoting(&udp(US, PEER, (40000, 161), b""))));
}

/// Initials are known on any port, in any version that is spoken, and behind another packet.
#[test]
fn a_quic_initial_is_known_by_its_header() {
    let long = |first: u8, version: u32, rest: &[u8]| {
        [
            &[first][..],
            &version.to_be_bytes(),
            &[4, 1, 2, 3, 4, 0],
            rest,
        ]
        .concat()
    };
    let handshake = |length: u8, rest: &[u8]| {
        long(
            0xe0,
            1,
            &[&[length][..], &vec![7; usize::from(length)], rest].concat(),
        )
    };
    let initial = || long(0xc0, 1, &[0, 2, 9, 9]);
    let rows = [
        ("version 1", initial(), 1),
        ("0-RTT", long(0xd0, 1, &[2, 9, 9]), 1),
        ("version 2", long(0xd0, 0x6b33_43cf, &[0, 2, 9, 9]), 1),
        ("a draft", long(0xc0, 0xff00_001d, &[0, 2, 9, 9]), 1),
        ("negotiation", long(0xf0, 0x1a2a_3a4a, &[2, 9, 9]), 1),
        ("handshake", handshake(3, &[]), 0),
        ("retry", long(0xf0, 1, &[9; 20]), 0),
        ("behind another", handshake(5, &initial()), 1),
        ("behind two", handshake(5, &handshake(1, &initial())), 1),
        ("not of QUIC", long(0xc0, 0x0102_0304, &[0, 2, 9, 9]), 0),
        ("short header", vec![0x40; 30], 0),
    ];
    for (name, payload, syns) in rows {
        for port in [443, 784, 8443, 33434] {
            let packet = udp(US, PEER, (40000, port), &payload);
            assert_eq!(charged(policy(&[]), &packet).syns, syns, "{name} {port}");
        }
    }
    // What may be in the rest of a cut datagram is not excluded.
    for (len, syns) in [(8, 1), (16, 1), (32, 0)] {
        let whole = udp_header(US, PEER, (40000, 9), &[0x40; 64]);
        let first = fragment(US, PEER, 17, 7, 0, true, &whole[..len]);
        assert_eq!(
            charged(policy(&[Power::Fragments]), &first).syns,
            syns,
            "{len}"
        );
    }
}

/// Every row, as it is and inside of every form of IPv6 address that carries it.
#[test]
fn forbidden_addresses_are_forbidden_in_every_form() {
    for row in FORBIDDEN {
        let forms = match row.address {
            IpAddr::V4(_) => crate::attacks::forms(&row.address.to_string()),
            IpAddr::V6(_) => vec![row.address.to_string()],
        };
        let plain = raw(anything(), &packet_to(row.address));
        assert_eq!(plain, "never", "{}", row.address);
        for form in forms {
            assert_eq!(raw(anything(), &echo(US6, &form)), "never", "{form}");
        }
        assert!(!row.what.is_empty() && !row.source.is_empty());
    }
    let neighbours = [
        "169.254.169.253",
        "100.100.100.201",
        "fd20:ce::255",
        "fd00:c1::1",
    ];
    for address in neighbours {
        assert_eq!(
            raw(anything(), &packet_to(ip(address))),
            "sent",
            "{address}"
        );
    }
    for v4 in ["169.254.169.254", "10.9.9.9"] {
        let [a, b, c, d] = v4.parse::<std::net::Ipv4Addr>().unwrap().octets();
        let below = [
            format!("64:ff9b:1:{a:02x}{b:02x}:{c:x}:{d:02x}00::"),
            format!("64:ff9b:1:77{a:02x}:{b:x}:{c:02x}{d:02x}::"),
            format!("64:ff9b:1:7777:{a:x}:{b:02x}{c:02x}:{d:02x}00:0"),
            format!("64:ff9b:1:7777::{v4}"),
            format!("::ffff:0:{v4}"),
        ];
        for form in below {
            assert_eq!(raw(anything(), &echo(US6, &form)), "never", "{form}");
        }
    }
}

fn packet_to(address: IpAddr) -> Vec<u8> {
    echo(
        if address.is_ipv4() { US } else { US6 },
        &address.to_string(),
    )
}

#[test]
fn amplifiers_are_sorted_and_have_a_source() {
    assert!(AMPLIFIERS.is_sorted_by(|a, b| a.port < b.port));
    assert!(
        AMPLIFIERS
            .iter()
            .all(|row| row.factor > 1 && !row.source.is_empty())
    );
}

fn sends(gate: &mut Gate, frame: &[u8]) -> &'static str {
    name(gate.judge(Time(0), frame, LinkKind::RawIp, MAIN))
}

/// Which bytes did the peer keep? Both versions may leave, if neither changes what was permitted.
#[test]
fn fragments_may_overlap_where_no_reassembly_reaches_farther() {
    let powers = [Power::Fragments, Power::Malformed];
    for (us, peer) in [(US, PEER), (US6, PEER6)] {
        let kind = if us == US { 8 } else { 128 };
        let whole = icmp_header(us, peer, kind, 0, [0, 77, 0, 1], &[b'A'; 56]);
        let protocol = if us == US { 1 } else { 58 };
        let piece =
            |from: usize, more, body: &[u8]| fragment(us, peer, protocol, 9, from, more, body);
        let pieces = [
            piece(0, true, &whole[..32]),
            piece(24, true, &[b'B'; 16]),
            piece(24, true, &[b'C'; 24]),
            piece(32, false, &whole[32..]),
            piece(16, true, &[b'D'; 48]),
        ];
        let mut gate = gate(policy(&powers));
        for piece in &pieces {
            assert_eq!(sends(&mut gate, piece), "sent", "{us}");
        }
        // Another type, or another identifier, would be another permission.
        let mut other = whole.clone();
        other[0] = 3;
        assert_ne!(sends(&mut gate, &piece(0, true, &other[..32])), "sent");
        let mut plain = crate::world::gate(policy(&powers[..1]));
        assert_eq!(sends(&mut plain, &pieces[0]), "sent");
        assert_eq!(sends(&mut plain, &pieces[1]), "bad_fragment");
    }
}

/// The second version of a header must say the same, in whatever pieces it comes.
#[test]
fn no_overlap_changes_ports_or_flags() {
    let powers = [Power::Fragments, Power::Malformed, Power::Inject];
    let ack = tcp_header(US, PEER, (45000, 80), ACK, &[0; 44]);
    let syn = tcp_header(US, PEER, (45000, 80), SYN, &[0; 44]);
    let other_port = tcp_header(US, PEER, (45000, 81), ACK, &[0; 44]);
    let piece = |from: usize, body: &[u8]| fragment(US, PEER, 6, 9, from, true, body);
    let mut gate = gate(policy(&powers));
    assert_eq!(sends(&mut gate, &piece(0, &ack[..32])), "sent");
    for (from, to, bytes) in [(0, 32, &syn), (8, 24, &syn), (0, 24, &other_port)] {
        assert_eq!(
            sends(&mut gate, &piece(from, &bytes[from..to])),
            "bad_fragment"
        );
    }
    assert_eq!(sends(&mut gate, &piece(8, &ack[8..40])), "sent");
    assert_eq!(sends(&mut gate, &piece(16, &[b'Z'; 24])), "sent");
    assert_eq!(gate.report().syns, 0);
}

/// What a carrier, an error or a datagram with a hello holds cannot be changed afterwards either.
#[test]
fn no_overlap_changes_what_was_judged_behind_the_header() {
    let powers = [Power::Fragments, Power::Malformed, Power::Control];
    let hello = udp_header(US, PEER, (40000, 8443), &[0x40; 64]);
    let mut initial = hello.clone();
    initial[8..14].copy_from_slice(&[0xc0, 0, 0, 0, 1, 4]);
    let piece = |from: usize, body: &[u8]| fragment(US, PEER, 17, 9, from, true, body);
    let mut gate = gate(policy(&powers));
    assert_eq!(sends(&mut gate, &piece(0, &hello[..32])), "sent");
    assert_eq!(sends(&mut gate, &piece(8, &initial[8..40])), "bad_fragment");
    let quote = udp(PEER, US, (53, 40000), &[0; 40]);
    let error = icmp_header(US, PEER, 3, 3, [0; 4], &quote);
    let piece = |from: usize, body: &[u8]| fragment(US, PEER, 1, 10, from, true, body);
    assert_eq!(sends(&mut gate, &piece(0, &error[..64])), "sent");
    assert_eq!(sends(&mut gate, &piece(16, &error[16..40])), "bad_fragment");
    // Nor by a first fragment of another protocol, where only the identification counts.
    let first = fragment(
        US6,
        PEER6,
        17,
        5,
        0,
        true,
        &udp_header(US6, PEER6, (40000, 9), &[1; 24]),
    );
    let other = fragment(
        US6,
        PEER6,
        6,
        5,
        0,
        true,
        &tcp_header(US6, PEER6, (45000, 80), ACK, &[1; 12]),
    );
    assert_eq!(sends(&mut gate, &first), "sent");
    assert_eq!(sends(&mut gate, &other), "bad_fragment");
}

/// Lengths of fragments, at their edges.
#[test]
fn a_fragment_fits_its_datagram() {
    let whole = udp_header(US, PEER, (40000, 9), &[1; 40]);
    let first = |len: usize| fragment(US, PEER, 17, 3, 0, true, &whole[..len]);
    assert_eq!(raw(policy(&[Power::Fragments]), &first(20)), "bad_fragment");
    assert_eq!(raw(policy(&[Power::Fragments]), &first(24)), "sent");
    assert_ne!(raw(policy(&[Power::Fragments]), &first(0)), "sent");
    let mut gate = gate(Policy {
        budget: Budget::UNLIMITED,
        ..policy(&[Power::Fragments])
    });
    assert_eq!(sends(&mut gate, &first(24)), "sent");
    let last = |offset: usize, len: usize| fragment(US, PEER, 17, 3, offset, false, &vec![0; len]);
    assert_eq!(sends(&mut gate, &last(65_520, 16)), "bad_fragment");
    assert_eq!(sends(&mut gate, &last(65_520, 15)), "sent");
    assert_eq!(sends(&mut gate, &last(65_512, 8)), "bad_fragment");
    assert!(matches!(
        gate.judge(Time(0), &first(24), LinkKind::RawIp, MAIN),
        Verdict::Drop(_)
    ));
}

const SECOND: i64 = 1_000_000_000;

fn send_limits(rate: u64, deadline: i64) -> SendLimits {
    let budget = Budget {
        max_packets_per_secs: rate,
        ..Budget::UNLIMITED
    };
    SendLimits::new(&budget, Time(deadline))
}

/// A process that was stopped between the verdict and the send has sent when it went on.
#[test]
fn at_the_send_call_no_second_is_above_its_limit() {
    let toll = Toll { bytes: 60, syns: 0 };
    let mut wire = send_limits(100, i64::MAX);
    let (mut now, mut sent, mut seed) = (0, Vec::new(), 7u64);
    for _ in 0..3_000 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        now += (seed >> 44) as i64 * 5;
        match wire.ask(Time(now), toll) {
            Clearance::Now => {}
            Clearance::At(at) => now = at.0,
            Clearance::Never => panic!("long before the end"),
        }
        assert_eq!(
            wire.ask(Time(now), toll),
            Clearance::Now,
            "held no longer than said"
        );
        // Now and then it sleeps before the call comes back.
        let slept = if seed >> 57 == 0 { SECOND * 3 / 2 } else { 0 };
        wire.left(Time(now + slept), toll);
        sent.push(now + slept);
        now += slept;
    }
    for (i, first) in sent.iter().enumerate() {
        let within = sent[i..]
            .iter()
            .take_while(|at| **at < first + SECOND)
            .count();
        assert!(within <= 100, "{within} from {first} on");
    }
    assert_eq!(wire.worst_second().0, 100);
}

#[test]
fn at_the_send_call_the_deadline_holds_and_a_clock_that_goes_back_wins_nothing() {
    let toll = Toll { bytes: 60, syns: 0 };
    let mut wire = send_limits(2, 5 * SECOND);
    assert_eq!(wire.ask(Time(5 * SECOND), toll), Clearance::Never);
    assert_eq!(wire.ask(Time(5 * SECOND - 1), toll), Clearance::Now);
    wire.left(Time(4 * SECOND), toll);
    wire.left(Time(4 * SECOND + 1), toll);
    assert_eq!(
        wire.ask(Time(0), toll),
        Clearance::Never,
        "its second begins after the deadline"
    );
    wire.close_at(Time(9 * SECOND));
    assert_eq!(wire.ask(Time(0), toll), Clearance::At(Time(5 * SECOND)));
    let dear = Toll { bytes: 60, syns: 1 };
    let mut none = SendLimits::new(
        &Budget {
            max_syns_per_secs: 0,
            ..Budget::UNLIMITED
        },
        Time(SECOND),
    );
    assert_eq!(none.ask(Time(0), dear), Clearance::Never);
    assert_eq!(none.ask(Time(0), toll), Clearance::Now);
    none.left(Time(0), toll);
}

/// Strangers ask as often as they like: they take a sixteenth at most, no bits, and the rest is left.
#[test]
fn answers_to_neighbours_do_not_spend_the_budget() {
    let mut gate = Gate::new(
        Policy {
            budget: Budget {
                max_packets: 64,
                max_packets_per_secs: 64,
                ..Budget::UNLIMITED
            },
            max_leak_bits: 1,
            ..policy(&[])
        },
        host(),
        Time(0),
        Reserved::default(),
    );
    let answer = ethernet(
        PEER_MAC,
        MAC,
        0x0806,
        &arp(2, (MAC, US), (PEER_MAC, "192.0.2.99")),
    );
    let stack = FrameOrigin {
        author: Author::Stack,
        reactive: true,
        ..MAIN
    };
    let (mut sent, mut refused) = (0, 0);
    for i in 0..1_000 {
        match gate.judge(Time(i * 50_000_000), &answer, LinkKind::Ethernet, stack) {
            Verdict::Drop(reason) => {
                assert_eq!(reason.name(), "neighbour_answers");
                assert!(reason.is_of_others());
                refused += 1;
            }
            _ => sent += 1,
        }
    }
    assert_eq!((sent, refused), (4, 996));
    assert_eq!(gate.report().leak_bits, 0);
    let probe = to(PEER_MAC, &udp(US, PEER, (40000, 9), b"x"));
    for _ in 0..60 {
        let verdict = gate.judge(Time(100 * SECOND), &probe, LinkKind::Ethernet, MAIN);
        assert_eq!(name(verdict), "sent");
    }
}
