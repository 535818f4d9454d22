//! Bytes that nobody meant: the gate never panics, never loops, and never lets a frame through that
//! another parser reads otherwise.

use crate::build::*;
use crate::world::*;
use crafty_policy::*;
use crafty_value::Time;
use proptest::prelude::*;
use smoltcp::wire;

const LINKS: [LinkKind; 2] = [LinkKind::Ethernet, LinkKind::RawIp];

/// Correct packets of every kind that the gate reads.
fn corpus() -> Vec<Vec<u8>> {
    let mut packets = vec![
        echo(US, PEER),
        echo(US6, PEER6),
        udp(US, PEER, (40000, 9), b"12345678"),
        udp(US6, PEER6, (40000, 9), b"12345678"),
        tcp(US, PEER, (45000, 80), SYN, b"1234"),
        tcp(US6, PEER6, (45000, 80), ACK, b"1234"),
        icmp(
            US,
            PEER,
            3,
            4,
            [0, 0, 5, 0],
            &udp(PEER, US, (9, 40000), b""),
        ),
        nd(135, US6, "ff02::1:ff00:20", PEER6, MAC),
        v4(
            US.parse().unwrap(),
            PEER.parse().unwrap(),
            17,
            &[7, 7, 4, 0, 0, 0, 0, 0],
            (0, 0),
            &udp_header(US, PEER, (40000, 9), b"x"),
        ),
        fragment(
            US,
            PEER,
            17,
            1,
            0,
            true,
            &udp_header(US, PEER, (40000, 9), &[0; 16]),
        ),
        fragment(
            US6,
            PEER6,
            17,
            1,
            0,
            true,
            &udp_header(US6, PEER6, (40000, 9), &[0; 16]),
        ),
        packet(
            US6,
            PEER6,
            60,
            &extension(
                17,
                vec![0, 0, 1, 4, 0, 0, 0, 0],
                &udp_header(US6, PEER6, (40000, 9), b"x"),
            ),
        ),
        packet(US, PEER, 47, &[&[0, 0, 8, 0][..], &echo(US, FAR)].concat()),
        packet(
            US,
            PEER,
            4,
            &packet(
                US,
                PEER,
                47,
                &[&[0, 0, 0x86, 0xdd][..], &echo(US6, FAR6)].concat(),
            ),
        ),
        udp(
            US,
            PEER,
            (40000, 4789),
            &[&[8, 0, 0, 0, 0, 0, 1, 0][..], &to(PEER_MAC, &echo(US, FAR))].concat(),
        ),
        udp(
            US,
            PEER,
            (40000, 2152),
            &[
                &[0x34, 255, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0x85, 1, 0, 0, 0][..],
                &echo(US, FAR),
            ]
            .concat(),
        ),
        udp(
            US,
            PEER,
            (40000, 6635),
            &[&[0, 0, 0x10, 64, 0, 0, 0x11, 64][..], &echo(US, FAR)].concat(),
        ),
        udp(
            US,
            PEER,
            (40000, 3544),
            &[&[0; 8][..], &echo(US6, FAR6)].concat(),
        ),
    ];
    packets.push(arp(1, (MAC, US), ([0; 6], PEER)));
    packets
}

fn as_frame(packet: &[u8]) -> Vec<u8> {
    match packet[0] >> 4 {
        4 | 6 => to(PEER_MAC, packet),
        _ => ethernet([0xff; 6], MAC, 0x0806, packet),
    }
}

/// Judges under nothing and under everything, and listens.
fn survives(octets: &[u8]) {
    for link in LINKS {
        for policy in [policy(&[]), Policy::everything()] {
            let mut gate = gate(policy);
            gate.judge(Time(0), octets, link, MAIN);
            gate.judge_cut(Time(0), octets, &[octets, octets], link, MAIN);
            gate.may_hear(octets, link);
            gate.report();
        }
    }
}

#[test]
fn frames_cut_short_anywhere_and_lengthened_are_read() {
    for packet in corpus() {
        let frame = as_frame(&packet);
        (0..=packet.len()).for_each(|len| survives(&packet[..len]));
        (0..=frame.len()).for_each(|len| survives(&frame[..len]));
        survives(&[frame, vec![0xff; 2000]].concat());
    }
}

/// A byte of the packet, and its new value.
fn change() -> impl Strategy<Value = (prop::sample::Index, u8)> {
    (
        any::<prop::sample::Index>(),
        prop_oneof![
            any::<u8>(),
            Just(0),
            Just(0xff),
            Just(44),
            Just(4),
            Just(41),
            Just(0x45)
        ],
    )
}

fn mutated(corpus: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    (
        prop::sample::select(corpus),
        prop::collection::vec(change(), 0..6),
        -4i64..4,
    )
        .prop_map(|(mut packet, changes, grow)| {
            changes.into_iter().for_each(|(at, value)| {
                let at = at.index(packet.len());
                packet[at] = value;
            });
            packet.resize((packet.len() as i64 + grow).max(1) as usize, 0);
            packet
        })
}

/// Sets the checksums that a mutation broke, so that deeper rules are reached.
fn mended(mut packet: Vec<u8>) -> Vec<u8> {
    if let Ok(mut ip) = wire::Ipv4Packet::new_checked(&mut packet[..])
        && ip.version() == 4
    {
        ip.fill_checksum();
        let (protocol, source, destination) =
            (ip.next_header(), ip.src_addr().into(), ip.dst_addr().into());
        mend_transport(protocol, source, destination, ip.payload_mut());
    } else if let Ok(mut ip) = wire::Ipv6Packet::new_checked(&mut packet[..]) {
        let (protocol, source, destination) =
            (ip.next_header(), ip.src_addr().into(), ip.dst_addr().into());
        mend_transport(protocol, source, destination, ip.payload_mut());
    }
    packet
}

fn mend_transport(
    protocol: wire::IpProtocol,
    source: wire::IpAddress,
    destination: wire::IpAddress,
    body: &mut [u8],
) {
    let at = match protocol {
        wire::IpProtocol::Udp => 6,
        wire::IpProtocol::Tcp => 16,
        wire::IpProtocol::Icmp | wire::IpProtocol::Icmpv6 => 2,
        _ => return,
    };
    let text = |address: wire::IpAddress| address.to_string();
    if let Some(two) = body.get(at..at + 2).map(|_| {
        sealed(
            &text(source),
            &text(destination),
            protocol.into(),
            at,
            body.to_vec(),
        )
    }) {
        body.copy_from_slice(&two);
    }
}

proptest! {
    #![proptest_config(config(2_000))]

    #[test]
    fn random_bytes_are_read(octets in prop::collection::vec(any::<u8>(), 0..200)) {
        survives(&octets);
    }

    #[test]
    fn mutated_packets_are_read(packet in mutated(corpus())) {
        survives(&packet);
        survives(&as_frame(&packet));
    }

    /// Whatever the order of hand-made fragments, those that leave never overlap and never hide
    /// a port.
    #[test]
    fn a07_fragments_that_leave_do_not_overlap(spans in prop::collection::vec((0..12usize, 1..8usize, any::<bool>(), 0..2u16), 1..20)) {
        let mut gate = gate(policy(&[Power::Fragments]));
        let mut datagrams = [Model::default(), Model::default()];
        for (from, len, last, id) in spans {
            let (from, to) = (from * 8, (from + len) * 8);
            let header = udp_header(US, PEER, (40000, 9), &[0; 56]);
            let body: Vec<u8> = if from == 0 { header[..to - from].to_vec() } else { vec![0xcc; to - from] };
            let piece = fragment(US, PEER, 17, id, from, !last, &body);
            if name(gate.judge(Time(0), &piece, LinkKind::RawIp, MAIN)) == "sent" && !(from == 0 && last) {
                prop_assert!(datagrams[usize::from(id)].takes(from, to, last), "{from}-{to} of {id}");
            }
        }
    }
}

/// What leaves without any power is what smoltcp reads as well, with addresses, ports and flags
/// inside the lists.
#[test]
fn another_parser_agrees_with_what_leaves() {
    let limited = Policy {
        destination_ports: Some(ports(&[(80, 80)], &[(9, 9)])),
        ..policy(&[])
    };
    let plain = corpus().into_iter().take(6).collect();
    let left = std::cell::Cell::new(0);
    let config = config(5_000);
    let cases = config.cases;
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let result = runner.run(&mutated(plain).prop_map(mended), |packet| {
        if raw(limited.clone(), &packet) == "sent" {
            left.set(left.get() + 1);
            prop_assert!(agrees(&limited, &packet), "{:02x?}", packet);
        }
        Ok(())
    });
    result.unwrap();
    assert!(
        left.get() > cases / 50,
        "{} of {cases} left: too few to tell anything",
        left.get()
    );
}

/// Bytes of one datagram, one by one.
#[derive(Default)]
struct Model {
    octets: std::collections::BTreeSet<usize>,
    end: Option<usize>,
}

impl Model {
    /// Whether a fragment may follow: the first one first, no byte twice, nothing beyond the last.
    fn takes(&mut self, from: usize, to: usize, last: bool) -> bool {
        let good =
            (from == 0 || self.octets.contains(&0)) && (from..to).all(|at| self.octets.insert(at));
        self.end = if last { Some(to) } else { self.end };
        let good = good
            && self
                .end
                .is_none_or(|end| self.octets.iter().all(|&at| at < end));
        // A datagram that is whole is forgotten: its number may be used again.
        if self.end == Some(self.octets.len()) {
            *self = Model::default();
        }
        good
    }
}

/// Whether smoltcp reads the packet as one that the policy permits.
fn agrees(policy: &Policy, packet: &[u8]) -> bool {
    match wire::IpVersion::of_packet(packet) {
        Ok(wire::IpVersion::Ipv4) => wire::Ipv4Packet::new_checked(packet).is_ok_and(|ip| {
            let plain = ip.header_len() == 20
                && !ip.more_frags()
                && ip.frag_offset() == 0
                && ip.verify_checksum();
            let exact = usize::from(ip.total_len()) == packet.len()
                && policy.destinations.contains(ip.dst_addr().into());
            let ours = ip.src_addr().to_string() == US || ip.src_addr().to_string() == "10.9.9.9";
            plain
                && exact
                && ours
                && transport_agrees(
                    policy,
                    ip.next_header(),
                    ip.src_addr().into(),
                    ip.dst_addr().into(),
                    ip.payload(),
                )
        }),
        Ok(wire::IpVersion::Ipv6) => wire::Ipv6Packet::new_checked(packet).is_ok_and(|ip| {
            let exact = ip.total_len() == packet.len()
                && policy.destinations.contains(ip.dst_addr().into());
            let ours = [US6, "fe80::10"].contains(&ip.src_addr().to_string().as_str());
            exact
                && ours
                && transport_agrees(
                    policy,
                    ip.next_header(),
                    ip.src_addr().into(),
                    ip.dst_addr().into(),
                    ip.payload(),
                )
        }),
        Err(_) => false,
    }
}

fn transport_agrees(
    policy: &Policy,
    protocol: wire::IpProtocol,
    source: wire::IpAddress,
    destination: wire::IpAddress,
    body: &[u8],
) -> bool {
    let listed = policy.destination_ports.as_ref().unwrap();
    match protocol {
        wire::IpProtocol::Tcp => wire::TcpPacket::new_checked(body).is_ok_and(|tcp| {
            let owned =
                policy.ports.tcp.contains(tcp.src_port()) || tcp.syn() && !tcp.ack() && !tcp.rst();
            tcp.verify_checksum(&source, &destination)
                && listed.tcp.contains(tcp.dst_port())
                && owned
        }),
        wire::IpProtocol::Udp => wire::UdpPacket::new_checked(body).is_ok_and(|udp| {
            let exact =
                usize::from(udp.len()) == body.len() && udp.verify_checksum(&source, &destination);
            exact
                && listed.udp.contains(udp.dst_port())
                && policy.ports.udp.contains(udp.src_port())
        }),
        wire::IpProtocol::Icmp => {
            wire::Icmpv4Packet::new_checked(body).is_ok_and(|icmp| icmp.verify_checksum())
        }
        wire::IpProtocol::Icmpv6 => !body.is_empty(),
        wire::IpProtocol::Ipv6NoNxt => body.is_empty(),
        _ => false,
    }
}
