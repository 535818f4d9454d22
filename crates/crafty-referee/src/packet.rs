//! Reads TCP segments and ICMP errors out of IP datagrams (RFC 791, RFC 8200, RFC 9293 §3.1).

use crate::DatagramContext;
use std::net::{IpAddr, SocketAddr};

const TCP: u8 = 6;
const ICMP: u8 = 1;
const ICMP6: u8 = 58;
const FRAGMENT: u8 = 44;

/// Bits of the flags byte.
pub(crate) mod bits {
    pub const FIN: u8 = 1;
    pub const SYN: u8 = 2;
    pub const RST: u8 = 4;
    pub const PSH: u8 = 8;
    pub const ACK: u8 = 16;
}

/// A segment with its ends. A checksum that is wrong is known; what it covers is not believed.
#[derive(Clone, Debug)]
pub(crate) struct ReferencedSegment {
    pub source: SocketAddr,
    pub destination: SocketAddr,
    pub seq: u32,
    pub ack: u32,
    pub flags: u8,
    pub window: u16,
    /// Bytes of data.
    pub data: u32,
    /// Bytes of options.
    pub options: u32,
    /// Bytes of the IP datagram.
    pub total: u32,
    pub mss: Option<u16>,
    pub scale: Option<u8>,
    pub stamps: Option<(u32, u32)>,
    pub sacks: Vec<(u32, u32)>,
    /// The data, as far as the trace has it.
    pub payload: Vec<u8>,
    pub intact: bool,
    /// Whether sizes are those on the wire.
    pub sizes: bool,
}

impl ReferencedSegment {
    /// The segment of a whole datagram; `None` for fragments and anything else.
    pub fn parse(datagram: &[u8], about: DatagramContext) -> Option<ReferencedSegment> {
        let ip = Ip::parse(datagram).filter(|ip| ip.protocol == TCP)?;
        let tcp = ip.payload;
        let offset = usize::from(tcp.get(12)? >> 4) * 4;
        let options = tcp.get(20..offset).filter(|_| offset >= 20)?;
        // An adapter that completes checksums is given the sum of the pseudo-header in their place.
        let partial = word16(tcp, 16)? == ip.sum(false);
        let mut packet = ReferencedSegment {
            source: SocketAddr::new(ip.source, word16(tcp, 0)?),
            destination: SocketAddr::new(ip.destination, word16(tcp, 2)?),
            seq: word32(tcp, 4)?,
            ack: word32(tcp, 8)?,
            flags: tcp[13],
            window: word16(tcp, 14)?,
            data: ip.transport.checked_sub(offset as u32)?,
            options: options.len() as u32,
            total: ip.total,
            mss: None,
            scale: None,
            stamps: None,
            sacks: Vec::new(),
            payload: tcp[offset..].to_vec(),
            intact: partial
                || !about.checksums
                || tcp.len() < ip.transport as usize
                || ip.sum(true) == 0xffff,
            sizes: about.sizes && !partial,
        };
        packet.read_options(options);
        Some(packet)
    }

    pub fn has(&self, bits: u8) -> bool {
        self.flags & bits != 0
    }

    /// Sequence numbers that it takes.
    pub fn span(&self) -> i64 {
        i64::from(self.data) + i64::from(self.has(bits::SYN)) + i64::from(self.has(bits::FIN))
    }

    fn read_options(&mut self, mut rest: &[u8]) {
        while let [kind, ..] = *rest {
            let len = match kind {
                0 => return,
                1 => 1,
                _ => usize::from(rest.get(1).copied().unwrap_or(0)),
            };
            let Some((option, behind)) = rest.split_at_checked(len).filter(|_| len > 0) else {
                return;
            };
            match *option {
                [2, 4, a, b] => self.mss = Some(u16::from_be_bytes([a, b])),
                [3, 3, shift] => self.scale = Some(shift.min(14)),
                [8, 10, ..] => self.stamps = word32(option, 2).zip(word32(option, 6)),
                [5, _, ref blocks @ ..] => {
                    self.sacks = blocks
                        .chunks_exact(8)
                        .filter_map(|block| word32(block, 0).zip(word32(block, 4)))
                        .collect();
                }
                _ => {}
            }
            rest = behind;
        }
    }
}

/// An ICMP error that tells how large datagrams may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TooBig {
    /// The end whose datagram was too large, and its peer.
    pub ends: (SocketAddr, SocketAddr),
    pub mtu: u32,
}

impl TooBig {
    pub fn parse(datagram: &[u8]) -> Option<TooBig> {
        let ip = Ip::parse(datagram)?;
        let (kind, code) = (*ip.payload.first()?, *ip.payload.get(1)?);
        let mtu = match (ip.protocol, kind, code) {
            (ICMP, 3, 4) => u32::from(word16(ip.payload, 6)?),
            (ICMP6, 2, _) => word32(ip.payload, 4)?,
            _ => return None,
        };
        let quoted = Ip::parse(ip.payload.get(8..)?).filter(|ip| ip.protocol == TCP)?;
        let ends = (
            SocketAddr::new(quoted.source, word16(quoted.payload, 0)?),
            SocketAddr::new(quoted.destination, word16(quoted.payload, 2)?),
        );
        (mtu > 0).then_some(TooBig { ends, mtu })
    }
}

/// The hosts between which a fragment of TCP passes (RFC 791 §3.2, RFC 8200 §4.5), in its order.
pub(crate) fn fragment_of_tcp(datagram: &[u8]) -> Option<(IpAddr, IpAddr)> {
    match datagram.first()? >> 4 {
        4 => {
            let piece = word16(datagram, 6)? & 0x3fff != 0 && *datagram.get(9)? == TCP;
            let address = |at: usize| datagram.get(at..)?.first_chunk::<4>().copied();
            let ends = (address(12)?.into(), address(16)?.into());
            piece.then_some(ends)
        }
        6 => {
            let ip = six(datagram).filter(|ip| ip.protocol == FRAGMENT)?;
            (*ip.payload.first()? == TCP).then_some((ip.source, ip.destination))
        }
        _ => None,
    }
}

/// What is read of an IP header.
struct Ip<'a> {
    source: IpAddr,
    destination: IpAddr,
    protocol: u8,
    payload: &'a [u8],
    /// Bytes of the payload on the wire; more than are there if the trace cut them.
    transport: u32,
    total: u32,
}

impl Ip<'_> {
    fn parse(datagram: &[u8]) -> Option<Ip<'_>> {
        match datagram.first()? >> 4 {
            4 => four(datagram),
            6 => six(datagram),
            _ => None,
        }
    }

    /// The sum over pseudo-header and payload (RFC 9293 §3.1), all ones if it is right; or that over
    /// the pseudo-header alone.
    fn sum(&self, whole: bool) -> u16 {
        let mut sum = u128::from(self.protocol) + u128::from(self.transport);
        // Words of any even length have the same sum, folded (RFC 1071 §2).
        let mut add = |bytes: &[u8]| {
            let (words, rest) = bytes.as_chunks::<8>();
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            for word in words.iter().chain([&last]) {
                sum += u128::from(u64::from_be_bytes(*word));
            }
        };
        for address in [self.source, self.destination] {
            match address {
                IpAddr::V4(ip) => add(&ip.octets()),
                IpAddr::V6(ip) => add(&ip.octets()),
            }
        }
        add(if whole { self.payload } else { &[] });
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        sum as u16
    }
}

fn four(datagram: &[u8]) -> Option<Ip<'_>> {
    let header = usize::from(datagram[0] & 15) * 4;
    let total = usize::from(word16(datagram, 2)?);
    let fragment = word16(datagram, 6)? & 0x3fff != 0;
    if fragment || header < 20 || total < header {
        return None;
    }
    Some(Ip {
        source: IpAddr::from(*datagram.get(12..)?.first_chunk::<4>()?),
        destination: IpAddr::from(*datagram.get(16..)?.first_chunk::<4>()?),
        protocol: *datagram.get(9)?,
        payload: datagram.get(header..total.min(datagram.len()))?,
        transport: (total - header) as u32,
        total: total as u32,
    })
}

/// Hop-by-hop, routing and destination options are passed over (RFC 8200 §4).
fn six(datagram: &[u8]) -> Option<Ip<'_>> {
    let length = usize::from(word16(datagram, 4)?);
    let mut payload = datagram.get(40..(40 + length).min(datagram.len()))?;
    let (mut protocol, mut passed) = (*datagram.get(6)?, 0);
    while matches!(protocol, 0 | 43 | 60) {
        let len = 8 * (1 + usize::from(*payload.get(1)?));
        protocol = payload[0];
        payload = payload.get(len..)?;
        passed += len;
    }
    Some(Ip {
        source: IpAddr::from(*datagram.get(8..)?.first_chunk::<16>()?),
        destination: IpAddr::from(*datagram.get(24..)?.first_chunk::<16>()?),
        protocol,
        payload,
        transport: (length - passed) as u32,
        total: (40 + length) as u32,
    })
}

fn word16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn word32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}
