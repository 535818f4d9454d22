//! IPv4 and IPv6 headers.

use super::{FragmentRange, IpPacket, NextHeader, ParsedFrame, TransportHeader, be16, transport};
use core::net::{Ipv4Addr, Ipv6Addr};

impl<'a> ParsedFrame<'a> {
    pub(super) fn v4(&mut self, octets: &'a [u8]) -> NextHeader<'a> {
        let Some(fixed) = octets.first_chunk::<20>() else {
            return self.refuse("an IPv4 header is cut short");
        };
        match fixed[0] >> 4 {
            4 => {}
            6 => return self.refuse("the IP version is 6, but the layer below says IPv4"),
            _ => self.lie("the IP version is not what the layer below says"),
        }
        let ihl = usize::from(fixed[0] & 15) * 4;
        let total = usize::from(u16::from_be_bytes([fixed[2], fixed[3]]));
        let header = ihl.clamp(20, octets.len());
        self.lie_if(header != ihl, "the IPv4 header length does not fit");
        let end = self.end(octets, total).max(header);
        self.lie_if(
            total < header,
            "the IPv4 total length is less than its header",
        );
        self.lie_if(
            transport::sum(&octets[..header]) != 0xffff,
            "the IPv4 header checksum is wrong",
        );
        let [.., a, b, c, d, e, f, g, h] = *fixed;
        let mut packet = IpPacket {
            octets: &octets[..end],
            body: &octets[header..end],
            source: Ipv4Addr::new(a, b, c, d).into(),
            destination: Ipv4Addr::new(e, f, g, h).into(),
            protocol: fixed[9],
            hop_limit: fixed[8],
            options: header > 20,
            rerouted: false,
            segments: &[],
            fragment: v4_fragment(fixed, header),
            sound: false,
            transport: TransportHeader::Hidden,
        };
        self.v4_options(&mut packet, &octets[20..header]);
        self.v4_authentication(&mut packet);
        packet.sound = self.lie.is_none() && self.refused.is_none();
        self.transport(packet)
    }

    /// Walks IPv4 options (RFC 791 §3.1). Where the walk fails, any byte that could be a source
    /// route counts as one.
    fn v4_options(&mut self, packet: &mut IpPacket, mut rest: &[u8]) {
        while let [kind, after @ ..] = rest {
            rest = match (kind, after.first().map(|&len| usize::from(len))) {
                (0, _) => return,
                (1, _) => after,
                (_, Some(len)) if len >= 2 && len <= rest.len() => {
                    packet.rerouted |= is_source_route(*kind);
                    &rest[len..]
                }
                _ => {
                    self.lie("the length of an IPv4 option does not fit");
                    packet.rerouted |= rest.iter().any(|&octet| is_source_route(octet));
                    return;
                }
            }
        }
    }

    pub(super) fn v6(&mut self, octets: &'a [u8]) -> NextHeader<'a> {
        let Some(fixed) = octets.first_chunk::<40>() else {
            return self.refuse("an IPv6 header is cut short");
        };
        match fixed[0] >> 4 {
            6 => {}
            4 => return self.refuse("the IP version is 4, but the layer below says IPv6"),
            _ => self.lie("the IP version is not what the layer below says"),
        }
        let claimed = usize::from(u16::from_be_bytes([fixed[4], fixed[5]]));
        let end = self.end(octets, 40 + claimed);
        let (source, destination) = fixed[8..].split_at(16);
        let mut packet = IpPacket {
            octets: &octets[..end],
            body: &octets[40..end],
            source: v6_address(source).into(),
            destination: v6_address(destination).into(),
            protocol: fixed[6],
            hop_limit: fixed[7],
            options: false,
            rerouted: false,
            segments: &[],
            fragment: None,
            sound: false,
            transport: TransportHeader::Hidden,
        };
        let reached = self.v6_extensions(&mut packet);
        packet.sound = self.lie.is_none() && self.refused.is_none();
        if reached {
            self.transport(packet)
        } else {
            self.hidden(packet)
        }
    }

    /// Takes a packet whose transport cannot be reached.
    pub(super) fn hidden(&mut self, packet: IpPacket<'a>) -> NextHeader<'a> {
        self.push(packet);
        None
    }
}

/// Loose and strict source route are numbers 3 and 9 (RFC 791 §3.1), here with any copied flag and
/// class.
fn is_source_route(kind: u8) -> bool {
    matches!(kind & 0x1f, 3 | 9)
}

fn v4_fragment(fixed: &[u8; 20], header: usize) -> Option<FragmentRange> {
    let (id, field) = (be16(fixed, 4)?, be16(fixed, 6)?);
    let (offset, more) = (usize::from(field & 0x1fff) * 8, field & 0x2000 != 0);
    (offset > 0 || more).then(|| FragmentRange {
        id: u32::from(id),
        offset,
        more,
        unfragmentable: header,
        announced: None,
    })
}

fn v6_address(octets: &[u8]) -> Ipv6Addr {
    octets
        .first_chunk()
        .map_or(Ipv6Addr::UNSPECIFIED, |&sixteen| {
            Ipv6Addr::from_octets(sixteen)
        })
}
