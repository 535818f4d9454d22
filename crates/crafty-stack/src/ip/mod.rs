//! What both IP families share: the few fields of a header that the stack itself reads. The codec
//! proper is elsewhere.

pub mod fragment;
pub mod reassemble;

pub use fragment::{FragmentError, fragment};
pub use reassemble::{Reassembled, Reassembler};

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Protocol numbers that the stack speaks.
pub const ICMP: u8 = 1;
/// TCP.
pub const TCP: u8 = 6;
/// UDP.
pub const UDP: u8 = 17;
/// ICMPv6.
pub const ICMP6: u8 = 58;

/// Extension headers that are walked over: hop-by-hop, routing, destination options, each with its
/// length in 8-byte units.
const EXTENSIONS: [u8; 3] = [0, 43, 60];
/// The fragment header of IPv6.
pub(crate) const FRAGMENT: u8 = 44;
/// Headers that are walked before giving up.
const MAX_EXTENSIONS: usize = 8;

/// One datagram, or one fragment of it, looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram<'a> {
    /// Sender.
    pub source: IpAddr,
    /// Receiver.
    pub destination: IpAddr,
    /// Protocol of the payload (behind IPv6 extension headers).
    pub protocol: u8,
    /// ECN codepoint, 0 to 3 (RFC 3168 §5).
    pub ecn: u8,
    /// Where the fragment lies, if it is one.
    pub piece: Option<FragmentOffset>,
    /// Bytes before the payload; for an IPv6 fragment up to and without the fragment header.
    pub header_len: usize,
    /// What the header carries, without link padding.
    pub payload: &'a [u8],
    /// Whether bytes were missing at the end.
    pub cut: bool,
    /// Where the next-header byte lies that names the fragment header or payload.
    pub(crate) next_at: usize,
}

/// Place of a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FragmentOffset {
    /// Identification.
    pub id: u32,
    /// Offset in bytes.
    pub offset: usize,
    /// Whether more follow.
    pub more: bool,
}

impl<'a> Datagram<'a> {
    /// Reads a header of either family; `None` if it is neither or its lengths are inconsistent.
    pub fn parse(octets: &'a [u8]) -> Option<Datagram<'a>> {
        match octets.first()? >> 4 {
            4 => Datagram::parse_v4(octets),
            6 => Datagram::parse_v6(octets),
            _ => None,
        }
    }

    /// Bytes of the whole, link padding left out.
    pub fn len(&self) -> usize {
        let fragment_header = if self.source.is_ipv6() && self.piece.is_some() {
            8
        } else {
            0
        };
        self.header_len + fragment_header + self.payload.len()
    }

    /// Never: a datagram has a header.
    pub fn is_empty(&self) -> bool {
        false
    }

    fn parse_v4(octets: &'a [u8]) -> Option<Datagram<'a>> {
        let header_len = usize::from(octets[0] & 15) * 4;
        let total = usize::from(be16(octets, 2)?);
        if header_len < 20 || total < header_len || octets.len() < header_len {
            return None;
        }
        let place = be16(octets, 6)?;
        let piece = FragmentOffset {
            id: u32::from(be16(octets, 4)?),
            offset: usize::from(place & 0x1fff) * 8,
            more: place & 0x2000 != 0,
        };
        Some(Datagram {
            source: v4(octets, 12)?,
            destination: v4(octets, 16)?,
            protocol: octets[9],
            ecn: octets[1] & 3,
            piece: (piece.more || piece.offset > 0).then_some(piece),
            header_len,
            payload: &octets[header_len..total.min(octets.len())],
            cut: total > octets.len(),
            next_at: 9,
        })
    }

    fn parse_v6(octets: &'a [u8]) -> Option<Datagram<'a>> {
        let total = 40 + usize::from(be16(octets, 4)?);
        let whole = octets.get(..total.min(octets.len()))?;
        let source = v6(whole, 8)?;
        let destination = v6(whole, 24)?;
        let walk = ExtensionHeaderWalk::over(whole)?;
        Some(Datagram {
            source,
            destination,
            protocol: walk.protocol,
            ecn: (octets[1] >> 4) & 3,
            piece: walk.piece,
            header_len: walk.header_len,
            payload: whole.get(walk.payload_at..)?,
            cut: total > octets.len(),
            next_at: walk.next_at,
        })
    }
}

/// The way through a chain of IPv6 extension headers, up to the payload or the fragment header.
struct ExtensionHeaderWalk {
    protocol: u8,
    next_at: usize,
    header_len: usize,
    payload_at: usize,
    piece: Option<FragmentOffset>,
}

impl ExtensionHeaderWalk {
    fn over(octets: &[u8]) -> Option<ExtensionHeaderWalk> {
        let (mut next_at, mut at) = (6, 40);
        for _ in 0..MAX_EXTENSIONS {
            let next = *octets.get(next_at)?;
            if next == FRAGMENT {
                return ExtensionHeaderWalk::fragment(octets, next_at, at);
            }
            if !EXTENSIONS.contains(&next) {
                return Some(ExtensionHeaderWalk {
                    protocol: next,
                    next_at,
                    header_len: at,
                    payload_at: at,
                    piece: None,
                });
            }
            next_at = at;
            at += 8 + usize::from(*octets.get(at + 1)?) * 8;
        }
        None
    }

    fn fragment(octets: &[u8], next_at: usize, at: usize) -> Option<ExtensionHeaderWalk> {
        let place = be16(octets, at + 2)?;
        let piece = FragmentOffset {
            id: be32(octets, at + 4)?,
            offset: usize::from(place & 0xfff8),
            more: place & 1 != 0,
        };
        Some(ExtensionHeaderWalk {
            protocol: octets[at],
            next_at,
            header_len: at,
            payload_at: at + 8,
            piece: Some(piece),
        })
    }
}

pub(crate) fn be16(octets: &[u8], at: usize) -> Option<u16> {
    octets
        .get(at..at + 2)
        .map(|o| u16::from_be_bytes([o[0], o[1]]))
}

pub(crate) fn be32(octets: &[u8], at: usize) -> Option<u32> {
    octets
        .get(at..at + 4)
        .map(|o| u32::from_be_bytes([o[0], o[1], o[2], o[3]]))
}

pub(crate) fn v4(octets: &[u8], at: usize) -> Option<IpAddr> {
    be32(octets, at).map(|bits| IpAddr::V4(Ipv4Addr::from_bits(bits)))
}

pub(crate) fn v6(octets: &[u8], at: usize) -> Option<IpAddr> {
    let octets: [u8; 16] = octets.get(at..at + 16)?.try_into().ok()?;
    Some(IpAddr::V6(Ipv6Addr::from(octets)))
}

#[cfg(test)]
mod tests;
