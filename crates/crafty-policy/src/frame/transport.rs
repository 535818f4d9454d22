//! TCP, UDP and ICMP headers, and the Internet checksum.

use super::{IpPacket, NextHeader, ParsedFrame, be16, tunnels};
use core::net::IpAddr;

pub(crate) const ICMP: u8 = 1;
pub(crate) const TCP: u8 = 6;
pub(crate) const UDP: u8 = 17;
pub(crate) const ICMP6: u8 = 58;
pub(crate) const SCTP: u8 = 132;
pub(crate) const DCCP: u8 = 33;
/// IPv6 `no next header`.
pub(crate) const NOTHING: u8 = 59;

pub(crate) const SYN: u8 = 0x02;
pub(crate) const RST: u8 = 0x04;
pub(crate) const ACK: u8 = 0x10;

/// What the transport header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransportHeader {
    Tcp {
        source: u16,
        destination: u16,
        flags: u8,
    },
    Udp {
        source: u16,
        destination: u16,
    },
    /// Either family; the packet's addresses tell which.
    Icmp {
        kind: u8,
        id: u16,
    },
    /// Another protocol.
    Other,
    /// The header is in another fragment, or cut short.
    Hidden,
}

impl<'a> ParsedFrame<'a> {
    /// Reads what `body` begins with, and takes the packet.
    pub(super) fn transport(&mut self, mut packet: IpPacket<'a>) -> NextHeader<'a> {
        if packet.is_later_fragment() {
            return self.hidden(packet);
        }
        packet.transport = match (packet.protocol, packet.is_v6()) {
            (TCP, _) => self.tcp(&packet),
            (UDP, _) => self.udp(&packet),
            (ICMP, false) | (ICMP6, true) => self.icmp(&packet),
            (NOTHING, true) => {
                self.lie_if(!packet.body.is_empty(), "bytes follow `no next header`");
                TransportHeader::Other
            }
            _ => TransportHeader::Other,
        };
        self.push(packet);
        match packet.transport {
            TransportHeader::Udp {
                source,
                destination,
            } => tunnels::by_udp_ports(source, destination)
                .and_then(|tunnel| self.enter_whole(tunnel, &packet, &packet.body[8..])),
            TransportHeader::Other => tunnels::by_protocol(packet.protocol)
                .and_then(|tunnel| self.enter_whole(tunnel, &packet, packet.body)),
            _ => None,
        }
    }

    fn enter_whole(
        &mut self,
        tunnel: &'static tunnels::Tunnel,
        packet: &IpPacket<'a>,
        inside: &'a [u8],
    ) -> NextHeader<'a> {
        if packet.fragment.is_some() {
            self.tunnel = Some(tunnel.name);
            return self.refuse("a fragmented tunnel packet");
        }
        self.enter(tunnel, inside)
    }

    fn tcp(&mut self, packet: &IpPacket) -> TransportHeader {
        let Some(fixed) = packet.body.first_chunk::<20>() else {
            self.lie("a TCP header is cut short");
            return TransportHeader::Hidden;
        };
        let offset = usize::from(fixed[12] >> 4) * 4;
        self.lie_if(
            offset < 20 || offset > packet.body.len(),
            "the TCP data offset does not fit",
        );
        self.lie_if(
            is_whole(packet) && pseudo_sum(packet) != 0xffff,
            "the TCP checksum is wrong",
        );
        let [a, b, c, d, ..] = *fixed;
        TransportHeader::Tcp {
            source: u16::from_be_bytes([a, b]),
            destination: u16::from_be_bytes([c, d]),
            flags: fixed[13],
        }
    }

    fn udp(&mut self, packet: &IpPacket) -> TransportHeader {
        let Some(&[a, b, c, d, e, f, g, h]) = packet.body.first_chunk::<8>() else {
            self.lie("a UDP header is cut short");
            return TransportHeader::Hidden;
        };
        let (source, destination) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
        if is_whole(packet) {
            self.lie_if(
                usize::from(u16::from_be_bytes([e, f])) != packet.body.len(),
                "the UDP length does not fit",
            );
            // RFC 768: zero is none; RFC 6935 §5 lets tunnels do without over IPv6.
            let none = g == 0
                && h == 0
                && (!packet.is_v6() || tunnels::by_udp_ports(source, destination).is_some());
            self.lie_if(
                !none && pseudo_sum(packet) != 0xffff,
                "the UDP checksum is wrong",
            );
        }
        TransportHeader::Udp {
            source,
            destination,
        }
    }

    fn icmp(&mut self, packet: &IpPacket) -> TransportHeader {
        let Some(&[kind, _, _, _, high, low, ..]) = packet.body.first_chunk::<8>() else {
            self.lie("an ICMP header is cut short");
            return TransportHeader::Hidden;
        };
        let found = if packet.is_v6() {
            pseudo_sum(packet)
        } else {
            sum(packet.body)
        };
        self.lie_if(
            is_whole(packet) && found != 0xffff,
            "the ICMP checksum is wrong",
        );
        TransportHeader::Icmp {
            kind,
            id: u16::from_be_bytes([high, low]),
        }
    }
}

/// Whether a checksum can be computed: no fragment, and no routing header that sets another final
/// destination.
fn is_whole(packet: &IpPacket) -> bool {
    packet.fragment.is_none() && packet.segments.is_empty()
}

/// The sum over pseudo-header and body; 0xffff if the checksum in it is right.
fn pseudo_sum(packet: &IpPacket) -> u16 {
    let addresses = address_sum(packet.source) + address_sum(packet.destination);
    let length = packet.body.len() as u64;
    fold(
        add(packet.body)
            + addresses
            + u64::from(packet.protocol)
            + (length >> 16)
            + (length & 0xffff),
    )
}

fn address_sum(address: IpAddr) -> u64 {
    match address {
        IpAddr::V4(a) => add(&a.octets()),
        IpAddr::V6(a) => add(&a.octets()),
    }
}

/// The ones' complement sum of 16-bit words (RFC 1071 §1).
pub(super) fn sum(octets: &[u8]) -> u16 {
    fold(add(octets))
}

/// The sum does not depend on the order of bytes in a word, nor on how many words are added at once
/// (RFC 1071 §2 (B), (C)).
fn add(octets: &[u8]) -> u64 {
    let (words, rest) = octets.as_chunks::<4>();
    let mut last = [0; 4];
    last[..rest.len()].copy_from_slice(rest);
    let sum: u64 = words
        .iter()
        .map(|word| u64::from(u32::from_ne_bytes(*word)))
        .sum();
    u64::from(u16::from_be(fold(
        sum + u64::from(u32::from_ne_bytes(last)),
    )))
}

fn fold(mut sum: u64) -> u16 {
    while sum > 0xffff {
        sum = (sum >> 16) + (sum & 0xffff);
    }
    sum as u16
}

/// Source and destination port of a TCP or UDP header that may be cut short after them.
pub(super) fn ports(body: &[u8]) -> Option<(u16, u16)> {
    Some((be16(body, 0)?, be16(body, 2)?))
}
