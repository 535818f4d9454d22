//! IPv6 extension headers (RFC 8200 §4), and the authentication header in either family.

use super::{FragmentRange, IpPacket, ParsedFrame, be16, be32};

/// Extension headers that one packet may have.
const MOST: usize = 8;

const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const AUTHENTICATION: u8 = 51;
const DESTINATION: u8 = 60;

/// Home Address (RFC 6275 §6.3): the receiver takes it for the source.
const HOME_ADDRESS: u8 = 0xc9;

/// Jumbo payload (RFC 2675 §2).
const JUMBO: u8 = 0xc2;

impl<'a> ParsedFrame<'a> {
    /// Walks to the transport; false if it cannot be reached.
    pub(super) fn v6_extensions(&mut self, packet: &mut IpPacket<'a>) -> bool {
        let mut announced = 6;
        for _ in 0..=MOST {
            let at = packet.octets.len() - packet.body.len();
            let Some(len) = header_len(packet) else {
                return true;
            };
            let Some((header, rest)) = len.and_then(|len| packet.body.split_at_checked(len)) else {
                self.lie("an IPv6 extension header is cut short");
                return false;
            };
            match packet.protocol {
                FRAGMENT => self.v6_fragment(packet, header, at, announced),
                ROUTING => route(packet, header),
                HOP_BY_HOP | DESTINATION => self.v6_options(packet, &header[2..]),
                _ => {}
            }
            packet.options |= packet.protocol != FRAGMENT;
            (packet.protocol, packet.body) = (header[0], rest);
            announced = at;
            if packet.is_later_fragment() {
                return true;
            }
        }
        self.refuse("more than 8 IPv6 extension headers");
        false
    }

    /// Skips authentication headers (RFC 4302 §2) of an IPv4 packet.
    pub(super) fn v4_authentication(&mut self, packet: &mut IpPacket<'a>) {
        for _ in 0..MOST {
            if packet.protocol != AUTHENTICATION || packet.is_later_fragment() {
                return;
            }
            let Some((header, rest)) = header_len(packet)
                .flatten()
                .and_then(|len| packet.body.split_at_checked(len))
            else {
                return self.lie("an authentication header is cut short");
            };
            packet.options = true;
            (packet.protocol, packet.body) = (header[0], rest);
        }
    }

    fn v6_fragment(
        &mut self,
        packet: &mut IpPacket<'a>,
        header: &[u8],
        at: usize,
        announced: usize,
    ) {
        if packet.fragment.is_some() {
            self.refuse("two IPv6 fragment headers");
        }
        let field = be16(header, 2).unwrap_or(0);
        packet.fragment = Some(FragmentRange {
            id: be32(header, 4).unwrap_or(0),
            offset: usize::from(field & 0xfff8),
            more: field & 1 != 0,
            unfragmentable: at,
            announced: Some((announced, header[0])),
        });
    }

    fn v6_options(&mut self, packet: &mut IpPacket, mut rest: &[u8]) {
        while let [kind, after @ ..] = rest {
            let len = if *kind == 0 {
                Some(1)
            } else {
                after.first().map(|&len| usize::from(len) + 2)
            };
            let Some(next) = len.and_then(|len| rest.get(len..)) else {
                return self.lie("the length of an IPv6 option does not fit");
            };
            packet.rerouted |= *kind == HOME_ADDRESS;
            self.lie_if(*kind == JUMBO, "a jumbo payload option");
            rest = next;
        }
    }
}

/// The length of the extension header that `body` begins with: outer `None` if `protocol` is not
/// one, inner if it is cut short.
fn header_len(packet: &IpPacket) -> Option<Option<usize>> {
    let units = packet.body.get(1).map(|&units| usize::from(units));
    match packet.protocol {
        FRAGMENT => Some(Some(8)),
        AUTHENTICATION => Some(units.map(|units| (units + 2) * 4)),
        HOP_BY_HOP | DESTINATION | ROUTING => Some(units.map(|units| (units + 1) * 8)),
        _ => None,
    }
}

/// Type 2 has one address (RFC 6275 §6.4), type 4 a list (RFC 8754 §2). Type 0 is forbidden (RFC
/// 5095), others are not read.
fn route<'a>(packet: &mut IpPacket<'a>, header: &'a [u8]) {
    let segments = match header[2] {
        2 => header.get(8..24),
        // Segments left may be one more than the last entry: the reduced form (RFC 8754 §4.1.1).
        4 if usize::from(header[3]) <= usize::from(header[4]) + 1 => {
            header.get(8..8 + 16 * (usize::from(header[4]) + 1))
        }
        _ => None,
    };
    packet.rerouted |= segments.is_none() || !packet.segments.is_empty();
    packet.segments = segments.unwrap_or(packet.segments);
}
