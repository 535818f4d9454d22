//! Packets for the tests: made here byte by byte, by neither the codec nor the gate's parser.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

pub const SYN: u8 = 2;
pub const ACK: u8 = 0x10;

pub fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

/// An IP header of the family of the addresses around `body`.
pub fn packet(source: &str, destination: &str, protocol: u8, body: &[u8]) -> Vec<u8> {
    match (ip(source), ip(destination)) {
        (IpAddr::V4(s), IpAddr::V4(d)) => v4(s, d, protocol, &[], (0, 0), body),
        (IpAddr::V6(s), IpAddr::V6(d)) => v6(s, d, protocol, body),
        _ => panic!("two families"),
    }
}

/// IPv4 with options and with identification and the bytes of flags and offset.
pub fn v4(
    source: Ipv4Addr,
    destination: Ipv4Addr,
    protocol: u8,
    options: &[u8],
    fragment: (u16, u16),
    body: &[u8],
) -> Vec<u8> {
    let mut header = vec![0x40 | (5 + options.len() / 4) as u8, 0];
    header.extend(((20 + options.len() + body.len()) as u16).to_be_bytes());
    header.extend(fragment.0.to_be_bytes());
    header.extend(fragment.1.to_be_bytes());
    header.extend([64, protocol, 0, 0]);
    header.extend(source.octets());
    header.extend(destination.octets());
    header.extend(options);
    let checksum = !sum(&header);
    header[10..12].copy_from_slice(&checksum.to_be_bytes());
    header.extend(body);
    header
}

pub fn v6(source: Ipv6Addr, destination: Ipv6Addr, next: u8, body: &[u8]) -> Vec<u8> {
    let mut header = vec![0x60, 0, 0, 0];
    header.extend((body.len() as u16).to_be_bytes());
    header.extend([next, 255]);
    header.extend(source.octets());
    header.extend(destination.octets());
    header.extend(body);
    header
}

/// A fragment: `offset` in bytes.
pub fn fragment(
    source: &str,
    destination: &str,
    protocol: u8,
    id: u16,
    offset: usize,
    more: bool,
    body: &[u8],
) -> Vec<u8> {
    match (ip(source), ip(destination)) {
        (IpAddr::V4(s), IpAddr::V4(d)) => v4(
            s,
            d,
            protocol,
            &[],
            (id, (offset / 8) as u16 | u16::from(more) << 13),
            body,
        ),
        (IpAddr::V6(s), IpAddr::V6(d)) => {
            let mut inside = vec![protocol, 0];
            inside.extend((offset as u16 | u16::from(more)).to_be_bytes());
            inside.extend(u32::from(id).to_be_bytes());
            inside.extend(body);
            v6(s, d, 44, &inside)
        }
        _ => panic!("two families"),
    }
}

pub fn udp_header(source: &str, destination: &str, ports: (u16, u16), data: &[u8]) -> Vec<u8> {
    let mut body = [
        ports.0.to_be_bytes(),
        ports.1.to_be_bytes(),
        (8 + data.len() as u16).to_be_bytes(),
        [0, 0],
    ]
    .concat();
    body.extend(data);
    sealed(source, destination, 17, 6, body)
}

pub fn tcp_header(
    source: &str,
    destination: &str,
    ports: (u16, u16),
    flags: u8,
    data: &[u8],
) -> Vec<u8> {
    let mut body = [ports.0.to_be_bytes(), ports.1.to_be_bytes()].concat();
    body.extend([0, 0, 0, 1, 0, 0, 0, 2, 0x50, flags, 1, 0, 0, 0, 0, 0]);
    body.extend(data);
    sealed(source, destination, 6, 16, body)
}

/// Sets the checksum `at` this place, whatever else is wrong.
pub fn sealed(
    source: &str,
    destination: &str,
    protocol: u8,
    at: usize,
    mut body: Vec<u8>,
) -> Vec<u8> {
    body[at..at + 2].fill(0);
    let checksum = match !if protocol == 1 {
        sum(&body)
    } else {
        pseudo(source, destination, protocol, &body)
    } {
        0 if protocol == 17 => 0xffff,
        other => other,
    };
    body[at..at + 2].copy_from_slice(&checksum.to_be_bytes());
    body
}

pub fn icmp_header(
    source: &str,
    destination: &str,
    kind: u8,
    code: u8,
    rest: [u8; 4],
    data: &[u8],
) -> Vec<u8> {
    let mut body = vec![kind, code, 0, 0];
    body.extend(rest);
    body.extend(data);
    let checksum = if ip(source).is_ipv4() {
        !sum(&body)
    } else {
        !pseudo(source, destination, 58, &body)
    };
    body[2..4].copy_from_slice(&checksum.to_be_bytes());
    body
}

pub fn udp(source: &str, destination: &str, ports: (u16, u16), data: &[u8]) -> Vec<u8> {
    packet(
        source,
        destination,
        17,
        &udp_header(source, destination, ports, data),
    )
}

pub fn tcp(source: &str, destination: &str, ports: (u16, u16), flags: u8, data: &[u8]) -> Vec<u8> {
    packet(
        source,
        destination,
        6,
        &tcp_header(source, destination, ports, flags, data),
    )
}

pub fn icmp(
    source: &str,
    destination: &str,
    kind: u8,
    code: u8,
    rest: [u8; 4],
    data: &[u8],
) -> Vec<u8> {
    let protocol = if ip(source).is_ipv4() { 1 } else { 58 };
    packet(
        source,
        destination,
        protocol,
        &icmp_header(source, destination, kind, code, rest, data),
    )
}

pub fn echo(source: &str, destination: &str) -> Vec<u8> {
    let kind = if ip(source).is_ipv4() { 8 } else { 128 };
    icmp(source, destination, kind, 0, [0, 77, 0, 1], b"crafty")
}

pub fn ethernet(destination: [u8; 6], source: [u8; 6], kind: u16, body: &[u8]) -> Vec<u8> {
    [&destination[..], &source[..], &kind.to_be_bytes(), body].concat()
}

pub fn arp(operation: u16, sender: ([u8; 6], &str), target: ([u8; 6], &str)) -> Vec<u8> {
    let octets = |text: &str| text.parse::<Ipv4Addr>().unwrap().octets();
    let fixed = [0, 1, 8, 0, 6, 4, (operation >> 8) as u8, operation as u8];
    [
        &fixed[..],
        &sender.0,
        &octets(sender.1),
        &target.0,
        &octets(target.1),
    ]
    .concat()
}

/// A neighbour solicitation (135) or advertisement (136) with a link-layer address option.
pub fn nd(kind: u8, source: &str, destination: &str, target: &str, mac: [u8; 6]) -> Vec<u8> {
    let IpAddr::V6(target) = ip(target) else {
        panic!("IPv6 only")
    };
    let option = if kind == 135 { 1 } else { 2 };
    let data = [&target.octets()[..], &[option, 1], &mac].concat();
    icmp(source, destination, kind, 0, [0; 4], &data)
}

/// Wraps an extension header of `octets` (a multiple of eight, first two free) around `body`.
pub fn extension(next: u8, mut octets: Vec<u8>, body: &[u8]) -> Vec<u8> {
    octets[0] = next;
    octets[1] = (octets.len() / 8 - 1) as u8;
    [octets, body.to_vec()].concat()
}

fn pseudo(source: &str, destination: &str, protocol: u8, body: &[u8]) -> u16 {
    let octets = |address| match address {
        IpAddr::V4(a) => a.octets().to_vec(),
        IpAddr::V6(a) => a.octets().to_vec(),
    };
    let mut all = [octets(ip(source)), octets(ip(destination))].concat();
    all.extend((body.len() as u32).to_be_bytes());
    all.extend([0, 0, 0, protocol]);
    all.extend(body);
    sum(&all)
}

fn sum(octets: &[u8]) -> u16 {
    let mut sum = 0u32;
    for pair in octets.chunks(2) {
        sum += u32::from(pair[0]) << 8 | u32::from(pair.get(1).copied().unwrap_or(0));
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}
