//! A network is what arrives, and when: UDP datagrams from one peer. Two networks may be alike in
//! shape and differ in bytes.

use crate::TestRng;
use crafty_value::{Mac, Net, Time};
use crafty_vm::{Environment, InterfaceInfo, LinkLayer, Route};

use std::net::{IpAddr, Ipv4Addr};

/// Our address, the peer's, and the ports of both.
pub const OURS: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
/// The peer's address.
pub const PEER: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 2);
/// Somebody else, who says nothing.
pub const OTHER: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 3);
/// Our port and the peer's.
pub const PORTS: (u16, u16) = (40_000, 7);

const OUR_MAC: Mac = Mac([2, 0, 0, 0, 0, 1]);
const PEER_MAC: Mac = Mac([2, 0, 0, 0, 0, 2]);

/// Something that arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduledDatagram {
    /// Milliseconds after the start.
    pub at: u64,
    /// Its payload.
    pub payload: Vec<u8>,
}

/// All that arrives, by time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestNetwork {
    /// In order of time.
    pub datagrams: Vec<ScheduledDatagram>,
}

/// Bytes that first bytes are thrown from: those that patterns ask for, and others.
pub const FIRST: &[u8] = &[0, 1, 2, 3, 7];

impl TestNetwork {
    /// A network of a few datagrams with few bytes each.
    pub fn random(dice: &mut TestRng) -> TestNetwork {
        let count = dice.below(6);
        let mut datagrams: Vec<ScheduledDatagram> = (0..count)
            .map(|_| ScheduledDatagram {
                at: 1 + dice.below(60),
                payload: payload(dice),
            })
            .collect();
        datagrams.sort_by_key(|d| d.at);
        datagrams.dedup_by_key(|d| d.at);
        TestNetwork { datagrams }
    }

    /// A network of the same shape: the same times and lengths, and first bytes on which patterns
    /// that ask for `asked` agree. All other bytes are thrown again.
    pub fn same_shape(&self, asked: &[u8], dice: &mut TestRng) -> TestNetwork {
        let other: Vec<u8> = (0..=9).filter(|b| !asked.contains(b)).collect();
        let again = |d: &ScheduledDatagram, dice: &mut TestRng| {
            let mut payload: Vec<u8> = d.payload.iter().map(|_| dice.one(FIRST)).collect();
            if let (Some(first), Some(old)) = (payload.first_mut(), d.payload.first()) {
                *first = if asked.contains(old) {
                    *old
                } else {
                    dice.one(&other)
                };
            }
            ScheduledDatagram { at: d.at, payload }
        };
        TestNetwork {
            datagrams: self.datagrams.iter().map(|d| again(d, dice)).collect(),
        }
    }
}

fn payload(dice: &mut TestRng) -> Vec<u8> {
    let len = 1 + dice.below(3);
    (0..len).map(|_| dice.one(FIRST)).collect()
}

/// The machine's place: one link with the peer, whose link address is known.
pub fn environment() -> Environment {
    environment_of(OURS, OTHER)
}

/// The same for a machine with this address, which knows another one beside the peer.
pub fn environment_of(own: Ipv4Addr, other: Ipv4Addr) -> Environment {
    let interface = InterfaceInfo {
        name: "test".into(),
        mac: OUR_MAC,
        mtu: 1500,
        addresses: vec![(own.into(), 24)],
        link: LinkLayer::Ethernet,
    };
    let net = Net::new(own.into(), 24).expect("24 is a length of IPv4");
    let route = Route {
        net,
        gateway: None,
        interface: 0,
        source: Some(own.into()),
    };
    let neighbours = [PEER, other]
        .map(|of| ((0, IpAddr::from(of)), PEER_MAC))
        .into();
    Environment {
        interfaces: vec![interface],
        routes: vec![route],
        neighbours,
        seed: 7,
        other_addresses: Vec::new(),
        kernel_answers: false,
    }
}

/// The frame that carries a datagram from the peer to us.
pub fn frame(datagram: &ScheduledDatagram) -> Vec<u8> {
    datagram_from(PORTS.1, &datagram.payload)
}

/// The same from a port of the peer's.
pub fn datagram_from(port: u16, payload: &[u8]) -> Vec<u8> {
    in_ip(17, udp(port, payload), 6)
}

/// A UDP header without checksum, and its payload.
pub fn udp(port: u16, payload: &[u8]) -> Vec<u8> {
    let words = [port, PORTS.0, 8 + payload.len() as u16, 0];
    let mut udp: Vec<u8> = words.into_iter().flat_map(u16::to_be_bytes).collect();
    udp.extend(payload);
    udp
}

/// The frame in which a neighbour tells us its link address, the peer's.
pub fn arp_answer(address: [u8; 4]) -> Vec<u8> {
    let arp = [
        &[0, 1, 8, 0, 6, 4, 0, 2][..],
        &PEER_MAC.0,
        &address,
        &OUR_MAC.0,
        &OURS.octets(),
    ];
    [&OUR_MAC.0[..], &PEER_MAC.0, &[8, 6], &arp.concat()].concat()
}

/// The frame that carries a segment from the peer to us.
pub fn segment(seq: u32, ack: u32, flags: u8, payload: &[u8]) -> Vec<u8> {
    segment_of(seq, ack, flags, 0x2000, &[], payload)
}

/// The same with the window that the peer offers, and options of whole words.
pub fn segment_of(
    seq: u32,
    ack: u32,
    flags: u8,
    window: u16,
    options: &[u8],
    payload: &[u8],
) -> Vec<u8> {
    let ports = [PORTS.1, PORTS.0].map(u16::to_be_bytes).concat();
    let numbers = [seq, ack].map(u32::to_be_bytes).concat();
    let offset = 0x50 + (options.len() as u8 / 4) * 0x10;
    let [high, low] = window.to_be_bytes();
    let tcp = [
        &ports[..],
        &numbers,
        &[offset, flags, high, low, 0, 0, 0, 0],
        options,
        payload,
    ]
    .concat();
    in_ip(6, tcp, 16)
}

/// The frame in which the peer says that a datagram of ours was too big for the path (RFC 1191),
/// with the first bytes of that datagram.
pub fn too_big(mtu: u16, quoted: &[u8]) -> Vec<u8> {
    let icmp = [&[3, 4, 0, 0, 0, 0][..], &mtu.to_be_bytes(), quoted].concat();
    let mut frame = in_ip(1, icmp, 2);
    // The checksum of ICMP covers no pseudo-header.
    frame[36..38].fill(0);
    let sum = checksum(&frame[34..], 0);
    frame[36..38].copy_from_slice(&sum.to_be_bytes());
    frame
}

/// The frame around a transport header whose checksum lies at that place.
fn in_ip(protocol: u8, transport: Vec<u8>, checksum_at: usize) -> Vec<u8> {
    in_ip_with(&[], None, protocol, transport, checksum_at)
}

/// The same with options of whole words in the IP header, and a length that may lie.
pub fn in_ip_with(
    options: &[u8],
    length_told: Option<u16>,
    protocol: u8,
    mut transport: Vec<u8>,
    checksum_at: usize,
) -> Vec<u8> {
    let length = transport.len() as u16;
    let header = 20 + options.len() as u16;
    let mut ip = vec![0x45 + options.len() as u8 / 4, 0];
    ip.extend(length_told.unwrap_or(header + length).to_be_bytes());
    ip.extend([0, 0, 0x40, 0, 64, protocol, 0, 0]);
    ip.extend(PEER.octets());
    ip.extend(OURS.octets());
    ip.extend(options);
    let sum = checksum(&ip, 0);
    ip[10..12].copy_from_slice(&sum.to_be_bytes());
    let pseudo = PEER
        .octets()
        .into_iter()
        .chain(OURS.octets())
        .collect::<Vec<u8>>();
    let seed = u32::from(!checksum(&pseudo, 0)) + u32::from(protocol) + u32::from(length);
    let sum = match checksum(&transport, seed) {
        0 => 0xffff,
        sum => sum,
    };
    transport[checksum_at..checksum_at + 2].copy_from_slice(&sum.to_be_bytes());
    [&OUR_MAC.0[..], &PEER_MAC.0, &[8, 0], &ip, &transport].concat()
}

/// RFC 1071, with a sum to start from.
fn checksum(octets: &[u8], start: u32) -> u16 {
    let word = |pair: &[u8]| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0));
    let mut sum = octets.chunks(2).map(word).sum::<u32>() + start;
    while sum > 0xffff {
        sum = (sum >> 16) + (sum & 0xffff);
    }
    !(sum as u16)
}

/// Milliseconds as a time of the test's clock.
pub fn time(ms: u64) -> Time {
    Time(ms as i64 * 1_000_000)
}
