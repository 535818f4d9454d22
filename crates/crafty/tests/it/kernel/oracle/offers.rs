//! Frames to offer: those of `golden/`, wrapped into carriers and mutated byte by byte. Knows neither the
//! codec nor the gate's parser: headers are found by looking for what could be one.

use super::world::{Addresses, FAR_MAC, NEAR_MAC, US, US6};
use crate::tool::root;

/// Dice with a seed (SplitMix64).
pub struct OfferDice(u64);

impl OfferDice {
    pub fn new(seed: u64) -> OfferDice {
        OfferDice(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn below(&mut self, most: usize) -> usize {
        (self.next() % most.max(1) as u64) as usize
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// The IP packets of `golden/`, whatever they were framed in.
pub fn golden_packets() -> Vec<Vec<u8>> {
    let folder = std::fs::read_dir(root().join("golden")).expect("golden packets");
    let mut files: Vec<_> = folder.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let texts = files
        .iter()
        .filter(|path| path.extension().is_some_and(|end| end == "hex"))
        .filter_map(|path| std::fs::read_to_string(path).ok());
    texts
        .flat_map(|text| blocks_of_hex(&text))
        .filter_map(|bytes| ip_packet(&bytes))
        .collect()
}

/// Lines of hexadecimal digits that follow each other are one packet.
fn blocks_of_hex(text: &str) -> Vec<Vec<u8>> {
    let mut blocks = vec![Vec::new()];
    for line in text.lines() {
        match bytes_of_hex(line).filter(|bytes| !bytes.is_empty()) {
            Some(bytes) => blocks.last_mut().expect("a block").extend(bytes),
            None => blocks.push(Vec::new()),
        }
    }
    blocks
}

fn bytes_of_hex(line: &str) -> Option<Vec<u8>> {
    let pairs = line.as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    pairs.map(byte).collect()
}

fn ip_packet(bytes: &[u8]) -> Option<Vec<u8>> {
    [0, 14, 18]
        .into_iter()
        .filter_map(|at| bytes.get(at..))
        .find(|rest| looks_like_ip(rest).is_some_and(|len| len == rest.len()))
        .map(<[u8]>::to_vec)
}

/// The length of the IP packet that these bytes may begin with.
fn looks_like_ip(bytes: &[u8]) -> Option<usize> {
    let word = |at: usize| {
        Some(usize::from(u16::from_be_bytes(
            *bytes.get(at..)?.first_chunk()?,
        )))
    };
    let (least, len) = match bytes.first()? >> 4 {
        4 => (usize::from(bytes[0] & 15) * 4, word(2)?),
        6 => (40, word(4)? + 40),
        _ => return None,
    };
    (least >= 20 && len >= least && len <= bytes.len() && bytes.len() >= 20).then_some(len)
}

/// Where IP headers may begin in a frame, innermost first.
fn headers(frame: &[u8]) -> Vec<usize> {
    let all = 14..frame.len().max(14);
    all.rev()
        .filter(|at| looks_like_ip(&frame[*at..]).is_some())
        .collect()
}

/// Bytes before an IP packet, by the version of what they carry, and the protocol that announces them.
type Wrap = (u8, fn(u8) -> Vec<u8>);

/// Carriers over IP. Protocol 17 stands for UDP: the first two bytes are the port.
const WRAPS: &[Wrap] = &[
    (4, |_| Vec::new()),
    (41, |_| Vec::new()),
    (47, |v| [&[0, 0][..], &ether_type(v)].concat()),
    (47, |v| [&[0x30, 0][..], &ether_type(v), &[0; 8]].concat()),
    (47, |v| [&[0, 0, 0x65, 0x58][..], &link(v)].concat()),
    (47, |v| {
        [&[0x10, 0, 0x88, 0xbe, 0, 0, 0, 1][..], &[0; 8], &link(v)].concat()
    }),
    (47, |_| vec![0, 0, 0x88, 0x47, 0, 1, 0x01, 64]),
    (97, |v| [&[0x30, 0][..], &link(v)].concat()),
    (137, |_| vec![0, 1, 1, 64]),
    (17, |v| {
        [&port(4789)[..], &[8, 0, 0, 0, 0, 0, 7, 0], &link(v)].concat()
    }),
    (17, |v| {
        [&port(8472)[..], &[8, 0, 0, 0, 0, 0, 7, 0], &link(v)].concat()
    }),
    (17, |v| {
        [&port(4789)[..], &[8, 0, 0, 0, 0, 0, 7, 0], &tagged(v)].concat()
    }),
    (17, |v| {
        [&port(6081)[..], &[0, 0], &ether_type(v), &[0, 0, 7, 0]].concat()
    }),
    (17, |v| {
        [
            &port(6081)[..],
            &[1, 0, 0x65, 0x58, 0, 0, 7, 0, 0, 1, 0x80, 0],
            &link(v),
        ]
        .concat()
    }),
    (17, |_| {
        [&port(2152)[..], &[0x30, 255, 0, 0, 0, 0, 0, 1]].concat()
    }),
    (17, |_| [&port(6635)[..], &[0, 1, 1, 64]].concat()),
    (17, |v| [&port(4754)[..], &[0, 0], &ether_type(v)].concat()),
    (17, |_| [&port(3544)[..], &[0; 8]].concat()),
    (17, |_| [&port(4341)[..], &[0; 8]].concat()),
    (17, |v| {
        [&port(1701)[..], &[0, 2, 0, 1, 0, 1], &ppp(v)].concat()
    }),
    (17, |v| {
        [
            &port(4790)[..],
            &[12, 0, 0, if v == 4 { 1 } else { 2 }, 0, 0, 7, 0],
        ]
        .concat()
    }),
];

fn port(number: u16) -> [u8; 2] {
    number.to_be_bytes()
}

fn ether_type(version: u8) -> [u8; 2] {
    if version == 4 { [8, 0] } else { [0x86, 0xdd] }
}

fn ppp(version: u8) -> [u8; 4] {
    [0xff, 3, 0, if version == 4 { 0x21 } else { 0x57 }]
}

fn link(version: u8) -> Vec<u8> {
    [&FAR_MAC[..], &NEAR_MAC, &ether_type(version)].concat()
}

fn tagged(version: u8) -> Vec<u8> {
    [
        &FAR_MAC[..],
        &NEAR_MAC,
        &[0x81, 0, 0, 7],
        &ether_type(version),
    ]
    .concat()
}

/// A frame around a packet, with tags now and then.
pub fn framed(packet: &[u8], dice: &mut OfferDice) -> Vec<u8> {
    let version = packet.first().map_or(4, |first| first >> 4);
    let head = match dice.below(12) {
        0 => tagged(version),
        1 => [
            &FAR_MAC[..],
            &NEAR_MAC,
            &[0x88, 0xa8, 0, 7, 0x81, 0, 0, 8],
            &ether_type(version),
        ]
        .concat(),
        _ => link(version),
    };
    [&head, packet].concat()
}

/// A packet in a carrier, in either family.
pub fn wrapped(packet: &[u8], dice: &mut OfferDice) -> Vec<u8> {
    let (protocol, before) = WRAPS[dice.below(WRAPS.len())];
    let mut body = before(packet.first().map_or(4, |first| first >> 4));
    let protocol = match (protocol, packet.first().map(|first| first >> 4)) {
        (4 | 41, Some(6)) => 41,
        (4 | 41, _) => 4,
        _ => protocol,
    };
    body.extend(packet);
    if protocol == 17 {
        let len = (body.len() + 6) as u16;
        body = [
            &port(40_000)[..],
            &body[..2],
            &len.to_be_bytes(),
            &[0, 0],
            &body[2..],
        ]
        .concat();
    }
    if dice.below(3) == 0 {
        v6(protocol, &body)
    } else {
        v4(protocol, &body)
    }
}

fn v4(protocol: u8, body: &[u8]) -> Vec<u8> {
    let len = (20 + body.len()) as u16;
    let fixed = [
        0x45,
        0,
        (len >> 8) as u8,
        len as u8,
        0,
        1,
        0,
        0,
        64,
        protocol,
        0,
        0,
    ];
    [&fixed[..], &US, &[198, 51, 100, 2], body].concat()
}

fn v6(protocol: u8, body: &[u8]) -> Vec<u8> {
    let len = (body.len() as u16).to_be_bytes();
    let fixed = [0x60, 0, 0, 0, len[0], len[1], protocol, 255];
    let far = [0x20, 1, 0xd, 0xb8, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7];
    [&fixed[..], &US6, &far, body].concat()
}

/// Both addresses of the outermost header become permitted ones wherever they stand.
pub fn retargeted(mut frame: Vec<u8>, addresses: &Addresses, dice: &mut OfferDice) -> Vec<u8> {
    let Some(&at) = headers(&frame).last() else {
        return frame;
    };
    let (from, to, size) = if frame[at] >> 4 == 4 {
        (at + 12, at + 16, 4)
    } else {
        (at + 8, at + 24, 16)
    };
    let Some(old) = frame.get(from..to + size).map(<[u8]>::to_vec) else {
        return frame;
    };
    let (us, them) = addresses.permitted(size, dice);
    for (old, new) in [(&old[..size], us), (&old[size..], them)] {
        let places: Vec<usize> = (14..=frame.len() - size)
            .filter(|i| frame[*i..].starts_with(old))
            .collect();
        places
            .iter()
            .for_each(|i| frame[*i..*i + size].copy_from_slice(&new));
    }
    if let Some(&innermost) = headers(&frame).first().filter(|_| dice.below(4) > 0) {
        let ports = if frame.get(innermost + 9) == Some(&6) {
            80
        } else {
            dice.pick(&[9, 53])
        };
        let start = transport(&frame, innermost);
        set(&mut frame, start, &port(dice.pick(&[40_000, 45_000])));
        set(&mut frame, start + 2, &port(ports));
    }
    frame
}

/// Values that mean something somewhere: flags, protocols, lengths, versions, kinds of options.
const TELLING: &[u8] = &[
    0, 1, 2, 3, 4, 5, 6, 8, 0x10, 0x11, 0x12, 17, 0x20, 0x21, 41, 43, 44, 47, 50, 51, 58, 59, 60,
    0x40, 0x45, 0x46, 0x4f, 0x60, 0x80, 0x81, 0x83, 0x88, 0x89, 97, 115, 132, 136, 137, 0xc9, 0xc2,
    0xfe, 0xff,
];

const PORTS: &[u16] = &[
    0, 9, 22, 53, 68, 80, 123, 179, 443, 520, 1194, 1701, 2152, 3386, 3544, 4341, 4500, 4754, 4789,
    4790, 5072, 5246, 5247, 6081, 6635, 8080, 8472, 11211, 12222, 37008, 40000, 40001, 45000,
    45001, 51820,
];

/// Changes a frame in a few places.
pub fn mutated(mut frame: Vec<u8>, addresses: &Addresses, dice: &mut OfferDice) -> Vec<u8> {
    for _ in 0..dice.below(6).saturating_sub(2) {
        let places = headers(&frame);
        let at = places.get(dice.below(places.len())).copied().unwrap_or(14);
        match dice.below(10) {
            0 => set(&mut frame, at + dice.below(60), &[dice.next() as u8]),
            1 | 2 => set(&mut frame, at + dice.below(60), &[dice.pick(TELLING)]),
            3 => set(&mut frame, dice.below(18), &[dice.pick(TELLING)]),
            4 | 5 => readdress(&mut frame, at, addresses, dice),
            6 => {
                let ports = transport(&frame, at);
                set(
                    &mut frame,
                    ports + 2 * dice.below(2),
                    &port(dice.pick(PORTS)),
                );
            }
            7 => fragmented(&mut frame, at, dice),
            8 => extended(&mut frame, at, dice),
            _ => cut_or_grown(&mut frame, dice),
        }
    }
    frame
}

fn set(frame: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(place) = frame.get_mut(at..at + bytes.len()) {
        place.copy_from_slice(bytes);
    }
}

/// Where the transport header of the packet at this place begins, if it has no extension headers.
fn transport(frame: &[u8], at: usize) -> usize {
    match frame.get(at).copied().unwrap_or(0) {
        first if first >> 4 == 4 => at + usize::from(first & 15) * 4,
        _ => at + 40,
    }
}

fn readdress(frame: &mut [u8], at: usize, addresses: &Addresses, dice: &mut OfferDice) {
    let is_v4 = frame.get(at).is_some_and(|first| first >> 4 == 4);
    let place = match (is_v4, dice.below(3)) {
        (true, 0) => at + 12,
        (true, _) => at + 16,
        (false, 0) => at + 8,
        (false, _) => at + 24,
    };
    let address = addresses.any(if is_v4 { 4 } else { 16 }, dice);
    set(frame, place, &address);
}

/// Fragments of few numbers, so that they meet.
fn fragmented(frame: &mut Vec<u8>, at: usize, dice: &mut OfferDice) {
    let (offset, more) = (dice.below(4) * dice.below(3), dice.below(2) as u16);
    if frame.get(at).is_some_and(|first| first >> 4 == 4) {
        set(frame, at + 4, &[0, dice.below(4) as u8]);
        set(frame, at + 6, &(more << 13 | offset as u16).to_be_bytes());
    } else if frame.len() > at + 40 {
        let field = ((offset as u16) << 3 | more).to_be_bytes();
        let header = [
            frame[at + 6],
            0,
            field[0],
            field[1],
            0,
            0,
            0,
            dice.below(4) as u8,
        ];
        insert(frame, at, 44, &header);
    }
}

/// An IPv6 extension header or IPv4 options more.
fn extended(frame: &mut Vec<u8>, at: usize, dice: &mut OfferDice) {
    let kind = dice.pick(TELLING);
    if frame.get(at).is_some_and(|first| first >> 4 == 6) && frame.len() > at + 40 {
        let header = [frame[at + 6], 0, kind, 4, 0, 0, 0, 0];
        insert(frame, at, dice.pick(&[0, 43, 44, 51, 60, 135]), &header);
    } else if frame.get(at).is_some_and(|first| first & 15 < 15) && frame.len() > at + 20 {
        let rest = frame.split_off(at + 20);
        frame.extend([kind, 4, 0, 0]);
        frame.extend(rest);
        frame[at] += 1;
        grow(frame, at + 2, 4);
    }
}

fn insert(frame: &mut Vec<u8>, at: usize, announced: u8, header: &[u8]) {
    let rest = frame.split_off(at + 40);
    frame.extend(header);
    frame.extend(rest);
    frame[at + 6] = announced;
    grow(frame, at + 4, header.len() as u16);
}

fn grow(frame: &mut [u8], at: usize, by: u16) {
    let old = u16::from_be_bytes([frame[at], frame[at + 1]]);
    set(frame, at, &old.wrapping_add(by).to_be_bytes());
}

fn cut_or_grown(frame: &mut Vec<u8>, dice: &mut OfferDice) {
    let len = (frame.len() + dice.below(24))
        .saturating_sub(12)
        .clamp(15, 1514);
    frame.resize(len, dice.pick(&[0, 0xff]));
}

/// Makes lengths of UDP and all checksums right, innermost first, so that rules behind them are reached.
pub fn mended(mut frame: Vec<u8>) -> Vec<u8> {
    for at in headers(&frame) {
        let Some(len) = looks_like_ip(&frame[at..]) else {
            continue;
        };
        let packet = &mut frame[at..at + len];
        if packet[0] >> 4 == 4 {
            let header = usize::from(packet[0] & 15) * 4;
            seal(&mut packet[..header], 10, 0);
        }
        mend_transport(packet);
    }
    frame
}

fn mend_transport(packet: &mut [u8]) {
    let is_v4 = packet[0] >> 4 == 4;
    let (mut protocol, mut start) = if is_v4 {
        (packet[9], usize::from(packet[0] & 15) * 4)
    } else {
        (packet[6], 40)
    };
    while !is_v4 && matches!(protocol, 0 | 43 | 60) && packet.len() > start + 8 {
        (protocol, start) = (
            packet[start],
            start + 8 * (usize::from(packet[start + 1]) + 1),
        );
    }
    let addresses: u32 = if is_v4 {
        sum(&packet[12..20])
    } else {
        sum(&packet[8..40])
    };
    let Some(body) = packet.get_mut(start..) else {
        return;
    };
    let pseudo = addresses + u32::from(protocol) + body.len() as u32;
    match protocol {
        1 => seal(body, 2, 0),
        58 => seal(body, 2, pseudo),
        6 => seal(body, 16, pseudo),
        17 => {
            let len = (body.len() as u16).to_be_bytes();
            set(body, 4, &len);
            seal(body, 6, pseudo);
        }
        _ => {}
    }
}

fn seal(bytes: &mut [u8], at: usize, more: u32) {
    if bytes.len() < at + 2 {
        return;
    }
    set(bytes, at, &[0, 0]);
    let mut sum = sum(bytes) + more;
    while sum > 0xffff {
        sum = (sum >> 16) + (sum & 0xffff);
    }
    let checksum = if sum == 0xffff { 0xffff } else { !(sum as u16) };
    set(bytes, at, &checksum.to_be_bytes());
}

fn sum(bytes: &[u8]) -> u32 {
    bytes
        .chunks(2)
        .map(|pair| u32::from(pair[0]) << 8 | u32::from(pair.get(1).copied().unwrap_or(0)))
        .sum()
}
