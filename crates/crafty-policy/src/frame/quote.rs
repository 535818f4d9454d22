//! The packet that an ICMP error quotes: often cut short, changed on its way, never checked.

use super::{IpPacket, TransportHeader, be16, transport};
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A quoted packet: whose it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quote {
    pub source: IpAddr,
    pub destination: IpAddr,
    pub protocol: u8,
    /// Source and destination port; an echo's identifier and zero; zeros for other protocols.
    pub ports: (u16, u16),
}

/// ICMP types that quote a packet: those of RFC 792 (source quench and redirect included).
const QUOTING_V4: &[u8] = &[3, 4, 5, 11, 12];

/// ICMPv6 error types (RFC 4443 §2.1).
const QUOTING_V6: core::ops::RangeInclusive<u8> = 1..=4;

impl IpPacket<'_> {
    /// Whether the packet is an ICMP error or an IPv4 redirect.
    pub fn is_error(&self) -> bool {
        match self.transport {
            TransportHeader::Icmp { kind, .. } if self.is_v6() => QUOTING_V6.contains(&kind),
            TransportHeader::Icmp { kind, .. } => QUOTING_V4.contains(&kind),
            _ => false,
        }
    }
}

/// The packet that an ICMP error quotes; `None` if its ports are not there.
pub(crate) fn quoted(error: &IpPacket) -> Option<Quote> {
    let octets = error.body.get(8..)?;
    match octets.first()? >> 4 {
        4 => v4(octets),
        6 => v6(octets),
        _ => None,
    }
}

fn v4(octets: &[u8]) -> Option<Quote> {
    let header = usize::from(octets[0] & 15) * 4;
    let first = be16(octets, 6)? & 0x1fff == 0;
    let address = |at: usize| {
        octets
            .get(at..)?
            .first_chunk()
            .map(|&four| IpAddr::V4(Ipv4Addr::from_octets(four)))
    };
    quote(
        address(12)?,
        address(16)?,
        *octets.get(9)?,
        octets.get(header.max(20)..)?,
        first,
    )
}

fn v6(octets: &[u8]) -> Option<Quote> {
    let address = |at: usize| {
        octets
            .get(at..)?
            .first_chunk()
            .map(|&sixteen| IpAddr::V6(Ipv6Addr::from_octets(sixteen)))
    };
    let (mut protocol, mut rest, mut first) = (*octets.get(6)?, octets.get(40..)?, true);
    for _ in 0..8 {
        let len = match protocol {
            0 | 43 | 60 | 135 => (usize::from(*rest.get(1)?) + 1) * 8,
            44 => {
                first = be16(rest, 2)? & 0xfff8 == 0;
                8
            }
            51 => (usize::from(*rest.get(1)?) + 2) * 4,
            _ => break,
        };
        (protocol, rest) = (rest[0], rest.get(len..)?);
    }
    quote(address(8)?, address(24)?, protocol, rest, first)
}

fn quote(
    source: IpAddr,
    destination: IpAddr,
    protocol: u8,
    body: &[u8],
    first: bool,
) -> Option<Quote> {
    let ports = match protocol {
        _ if !first => return None,
        transport::TCP | transport::UDP => transport::ports(body)?,
        transport::ICMP | transport::ICMP6 => (be16(body, 4)?, 0),
        _ => (0, 0),
    };
    Some(Quote {
        source,
        destination,
        protocol,
        ports,
    })
}
