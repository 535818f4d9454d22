//! Peers: what answers the program. Frames are made here by hand, from the RFCs' layouts, not by
//! the code under test.

use core::net::Ipv4Addr;

pub const OURS: [u8; 4] = [192, 0, 2, 66];
pub const TARGET: [u8; 4] = [192, 0, 2, 1];
const OUR_MAC: [u8; 6] = [2, 0, 0, 0, 0, 0x66];
const PEER_MAC: [u8; 6] = [2, 0, 0, 0, 0, 1];
const MS: i64 = 1_000_000;

/// A frame and the time until it arrives.
pub type Arriving = (i64, Vec<u8>);

/// Who answers.
pub enum Peer {
    /// Nobody.
    Silent,
    /// Echo requests and UDP datagrams come back after so many milliseconds; ARP is answered at
    /// once.
    Echo(i64),
    /// Like `Echo`, but only for the answers whose number (from 0) is listed.
    Some(i64, &'static [usize], usize),
    /// The nth hop (TTL) is a router that says "time exceeded"; from the given hop on the target
    /// answers "port unreachable".
    Path(u8),
    /// Frames at times in milliseconds, whatever the program does.
    Script(Vec<(i64, Vec<u8>)>),
    /// What a function of the sent frame says.
    With(fn(&[u8]) -> Vec<Arriving>),
    /// Anything with a state of its own.
    Own(Box<dyn Own>),
}

/// A peer with a state of its own. Times in nanoseconds since the start.
pub trait Own {
    fn answer(&mut self, now: i64, frame: &[u8]) -> Vec<Arriving>;
    fn poll_timeout(&self) -> Option<i64>;
    fn wake(&mut self, now: i64) -> Vec<Arriving>;
}

impl Peer {
    pub fn script(&mut self) -> Vec<Arriving> {
        match self {
            Peer::Script(frames) => frames.drain(..).map(|(ms, f)| (ms * MS, f)).collect(),
            _ => Vec::new(),
        }
    }

    pub fn answer(&mut self, now: i64, frame: &[u8]) -> Vec<Arriving> {
        match self {
            Peer::Silent | Peer::Script(_) => Vec::new(),
            Peer::Echo(ms) => echo(frame).into_iter().map(|f| (*ms * MS, f)).collect(),
            Peer::Some(ms, which, seen) => {
                *seen += 1;
                let wanted = which.contains(&(*seen - 1));
                echo(frame)
                    .into_iter()
                    .filter(|_| wanted)
                    .map(|f| (*ms * MS, f))
                    .collect()
            }
            Peer::Path(hops) => path(frame, *hops).into_iter().map(|f| (MS, f)).collect(),
            Peer::With(f) => f(frame),
            Peer::Own(own) => own.answer(now, frame),
        }
    }

    pub fn poll_timeout(&self) -> Option<i64> {
        if let Peer::Own(own) = self {
            own.poll_timeout()
        } else {
            None
        }
    }

    pub fn wake(&mut self, now: i64) -> Vec<Arriving> {
        if let Peer::Own(own) = self {
            own.wake(now)
        } else {
            Vec::new()
        }
    }
}

fn echo(frame: &[u8]) -> Option<Vec<u8>> {
    if frame[12..14] == [8, 6] {
        return Some(arp_answer(frame));
    }
    let (ip, payload) = ipv4(frame)?;
    let (from, to) = (
        ip[16..20].try_into().unwrap(),
        ip[12..16].try_into().unwrap(),
    );
    match ip[9] {
        1 if payload[0] == 8 => {
            let mut answer = payload.to_vec();
            answer[0] = 0;
            Some(icmp_frame(from, to, &answer))
        }
        17 => Some(udp(
            from,
            be16(payload, 2),
            to,
            be16(payload, 0),
            &payload[8..],
        )),
        _ => None,
    }
}

fn path(frame: &[u8], hops: u8) -> Option<Vec<u8>> {
    let (ip, _) = ipv4(frame)?;
    let ttl = ip[8];
    let (kind, code, from) = if ttl < hops {
        (11, 0, [198, 51, 100, ttl])
    } else {
        (3, 3, TARGET)
    };
    Some(icmp_error(from, kind, code, &ip[..ip.len().min(48)]))
}

fn be16(octets: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([octets[at], octets[at + 1]])
}

/// The datagram of an Ethernet frame and its payload, padding left out.
pub fn ipv4(frame: &[u8]) -> Option<(&[u8], &[u8])> {
    if frame[12..14] != [8, 0] {
        return None;
    }
    let ip = &frame[14..14 + usize::from(be16(frame, 16))];
    Some((ip, &ip[usize::from(ip[0] & 15) * 4..]))
}

fn sum(parts: &[&[u8]]) -> u16 {
    let all = parts.concat();
    let mut total: u32 = all
        .chunks(2)
        .map(|c| u32::from(c[0]) << 8 | u32::from(*c.get(1).unwrap_or(&0)))
        .sum();
    while total >> 16 != 0 {
        total = (total & 0xffff) + (total >> 16);
    }
    !(total as u16)
}

/// An IPv4 datagram in an Ethernet frame to us.
pub fn ip_frame(from: [u8; 4], to: [u8; 4], proto: u8, ttl: u8, payload: &[u8]) -> Vec<u8> {
    let length = (20 + payload.len()) as u16;
    let mut ip = vec![0x45, 0, 0, 0, 0x12, 0x34, 0, 0, ttl, proto, 0, 0];
    ip[2..4].copy_from_slice(&length.to_be_bytes());
    ip.extend_from_slice(&from);
    ip.extend_from_slice(&to);
    let checksum = sum(&[&ip]);
    ip[10..12].copy_from_slice(&checksum.to_be_bytes());
    let mut frame = [&OUR_MAC[..], &PEER_MAC, &[8, 0], &ip, payload].concat();
    frame.resize(frame.len().max(60), 0);
    frame
}

fn icmp_frame(from: [u8; 4], to: [u8; 4], message: &[u8]) -> Vec<u8> {
    let mut message = message.to_vec();
    message[2..4].fill(0);
    let checksum = sum(&[&message]);
    message[2..4].copy_from_slice(&checksum.to_be_bytes());
    ip_frame(from, to, 1, 57, &message)
}

/// An ICMP error to us that quotes a datagram.
pub fn icmp_error(from: [u8; 4], kind: u8, code: u8, quoted: &[u8]) -> Vec<u8> {
    icmp_frame(
        from,
        OURS,
        &[&[kind, code, 0, 0, 0, 0, 0, 0], quoted].concat(),
    )
}

/// A UDP datagram.
pub fn udp(from: [u8; 4], src: u16, to: [u8; 4], dst: u16, data: &[u8]) -> Vec<u8> {
    ip_frame(from, to, 17, 64, &udp_payload(from, src, to, dst, data))
}

/// A UDP header and its data.
pub fn udp_payload(from: [u8; 4], src: u16, to: [u8; 4], dst: u16, data: &[u8]) -> Vec<u8> {
    let length = (8 + data.len()) as u16;
    let mut header = [
        src.to_be_bytes(),
        dst.to_be_bytes(),
        length.to_be_bytes(),
        [0, 0],
    ]
    .concat();
    let checksum = sum(&[&from, &to, &[0, 17], &length.to_be_bytes(), &header, data]);
    header[6..8].copy_from_slice(&checksum.to_be_bytes());
    [&header, data].concat()
}

fn arp_answer(frame: &[u8]) -> Vec<u8> {
    let asked = &frame[38..42];
    [
        &OUR_MAC[..],
        &PEER_MAC,
        &[8, 6, 0, 1, 8, 0, 6, 4, 0, 2],
        &PEER_MAC,
        asked,
        &OUR_MAC,
        &OURS,
    ]
    .concat()
}

/// A frame of ours in words.
pub fn describe(frame: &[u8]) -> String {
    if frame[12..14] == [8, 6] {
        return format!("ARP who has {}", address(&frame[38..42]));
    }
    let Some((ip, payload)) = ipv4(frame) else {
        return "other".into();
    };
    let to = address(&ip[16..20]);
    let more = if ip[6] & 0x3f != 0 || ip[7] != 0 {
        format!(" fragment at {}", (be16(ip, 6) & 0x1fff) * 8)
    } else {
        String::new()
    };
    let ttl = if ip[8] == 64 {
        String::new()
    } else {
        format!(" ttl {}", ip[8])
    };
    if be16(ip, 6) & 0x1fff != 0 {
        return format!("{to}{ttl}{more} {} bytes", payload.len());
    }
    match ip[9] {
        1 => format!(
            "{to}{ttl}{more} ICMP {} id {} seq {} {}",
            payload[0],
            be16(payload, 4),
            be16(payload, 6),
            words(&payload[8..])
        ),
        17 => format!(
            "{to}{ttl}{more} UDP {} > {} {}",
            be16(payload, 0),
            be16(payload, 2),
            words(&payload[8..])
        ),
        6 => {
            let header = usize::from(payload[12] >> 4) * 4;
            let flags: String = "FSRPAU"
                .chars()
                .enumerate()
                .filter(|(i, _)| payload[13] >> i & 1 == 1)
                .map(|(_, c)| c)
                .collect();
            format!(
                "{to}{ttl}{more} TCP {} > {} {flags} {}",
                be16(payload, 0),
                be16(payload, 2),
                words(&payload[header..])
            )
        }
        other => format!("{to}{ttl}{more} proto {other}"),
    }
}

fn address(octets: &[u8]) -> Ipv4Addr {
    Ipv4Addr::from(<[u8; 4]>::try_from(octets).unwrap())
}

fn words(data: &[u8]) -> String {
    match data.len() {
        0..=24 if data.iter().all(|b| (32..127).contains(b)) => {
            format!("\"{}\"", String::from_utf8_lossy(data))
        }
        n => format!("{n} bytes"),
    }
}
