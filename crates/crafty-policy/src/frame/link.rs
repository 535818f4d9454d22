//! Ethernet, VLAN tags, LLC and ARP.

use super::{HeaderKind, NextHeader, ParsedFrame, be16, tunnels};
use core::net::{IpAddr, Ipv4Addr};
use crafty_value::Mac;

/// Tags of IEEE 802.1Q, 802.1ad and the older stacked forms.
const TAGS: &[u16] = &[0x8100, 0x88a8, 0x9100, 0x9200, 0x9300];

/// LLC in a frame whose type would be a length too large for one.
const JUMBO_LLC: u16 = 0x8870;

/// Smaller `type` values are lengths (IEEE 802.3 §3.2.6).
const LEAST_TYPE: u16 = 0x0600;

/// Shortest frame without its check sequence.
const SHORTEST: usize = 60;

/// The outermost Ethernet header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EthernetHeader {
    pub destination: Mac,
    pub source: Mac,
    /// Bytes of the header, tags included.
    pub len: usize,
    pub tagged: bool,
}

/// What is neither IP nor ARP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Foreign {
    EtherType(u16),
    /// An LLC frame with this destination service access point.
    Llc(u8),
    /// A SNAP frame of another organisation than that of EtherTypes.
    Snap([u8; 3]),
}

/// An ARP packet for IPv4 over Ethernet (RFC 826).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arp {
    pub operation: u16,
    pub sender_mac: Mac,
    pub sender: IpAddr,
    pub target: IpAddr,
}

impl<'a> ParsedFrame<'a> {
    pub(super) fn ethernet(&mut self, octets: &'a [u8]) -> NextHeader<'a> {
        let (Some(destination), Some(source)) = (mac(octets, 0), mac(octets, 6)) else {
            return self.refuse("an Ethernet header is cut short");
        };
        let mut at = 12;
        while be16(octets, at).is_some_and(|number| TAGS.contains(&number)) && at < 12 + 4 * 4 {
            at += 4;
        }
        let Some(number) = be16(octets, at) else {
            return self.refuse("an Ethernet header is cut short");
        };
        if TAGS.contains(&number) {
            return self.refuse("more than 4 VLAN tags");
        }
        if self.packets[0].is_none() && self.link.is_none() {
            self.link = Some(EthernetHeader {
                destination,
                source,
                len: at + 2,
                tagged: at > 12,
            });
        }
        self.padded = octets.len() <= SHORTEST + at - 12;
        let rest = &octets[at + 2..];
        if number < LEAST_TYPE {
            self.llc(usize::from(number), rest)
        } else {
            Some((HeaderKind::EtherType(number), rest))
        }
    }

    fn llc(&mut self, len: usize, rest: &'a [u8]) -> NextHeader<'a> {
        let end = self.end(rest, len);
        let llc = &rest[..end];
        match *llc {
            [to, from, control, a, b, c, high, low, ..]
                if to | 1 == 0xab && from | 1 == 0xab && is_unnumbered(control) =>
            {
                self.snap([a, b, c], u16::from_be_bytes([high, low]), &llc[8..])
            }
            // IP by a service access point of its own (RFC 1042, "Overview").
            [6, _, control, ..] if is_unnumbered(control) => {
                self.foreign = Some(Foreign::Llc(6));
                Some((HeaderKind::Ip, &llc[3..]))
            }
            [sap, ..] => self.foreign(Foreign::Llc(sap)),
            [] => self.refuse("an LLC header is cut short"),
        }
    }

    /// RFC 1042, the form of bridges (IEEE 802.1H), and whole frames (RFC 2427 §4.2).
    fn snap(&mut self, organisation: [u8; 3], number: u16, rest: &'a [u8]) -> NextHeader<'a> {
        let inside = match (organisation, number) {
            ([0, 0, 0 | 0xf8], _) => HeaderKind::EtherType(number),
            ([0, 0x80, 0xc2], 1 | 7) => HeaderKind::Ethernet,
            _ => return self.foreign(Foreign::Snap(organisation)),
        };
        self.foreign = Some(Foreign::Llc(0xaa));
        Some((inside, rest))
    }

    pub(super) fn ether_type(&mut self, number: u16, rest: &'a [u8]) -> NextHeader<'a> {
        match number {
            0x0800 => Some((HeaderKind::V4, rest)),
            0x86dd => Some((HeaderKind::V6, rest)),
            0x0806 => self.arp(rest),
            JUMBO_LLC => self.llc(rest.len(), rest),
            _ => match tunnels::by_ether_type(number) {
                Some(tunnel) => self.enter(tunnel, rest),
                None => self.foreign(Foreign::EtherType(number)),
            },
        }
    }

    fn foreign(&mut self, what: Foreign) -> NextHeader<'a> {
        if self.tunnel.is_some() {
            return self.refuse("what a tunnel carries cannot be read");
        }
        self.foreign = Some(what);
        None
    }

    fn arp(&mut self, octets: &'a [u8]) -> NextHeader<'a> {
        let end = self.end(octets, 28);
        let arp = &octets[..end];
        let fields = (be16(arp, 6), mac(arp, 8), v4(arp, 14), v4(arp, 24));
        let (Some(operation), Some(sender_mac), Some(sender), Some(target)) = fields else {
            return self.refuse("an ARP packet is cut short");
        };
        if arp[..6] != [0, 1, 8, 0, 6, 4] {
            return self.refuse("ARP for something other than IPv4 over Ethernet");
        }
        self.arp = Some(Arp {
            operation,
            sender_mac,
            sender,
            target,
        });
        None
    }
}

/// An LLC frame that needs no connection, whatever its poll bit says.
fn is_unnumbered(control: u8) -> bool {
    control & !0x10 == 3
}

fn mac(octets: &[u8], at: usize) -> Option<Mac> {
    octets.get(at..)?.first_chunk().map(|&six| Mac(six))
}

fn v4(octets: &[u8], at: usize) -> Option<IpAddr> {
    octets
        .get(at..)?
        .first_chunk()
        .map(|&four| IpAddr::V4(Ipv4Addr::from_octets(four)))
}
