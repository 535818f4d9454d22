//! Carriers of other packets: a row each, with how far to what is inside.

use super::{Frame, Kind, Next, be16};

/// One carrier.
pub(crate) struct Tunnel {
    pub name: &'static str,
    by: By,
    inside: fn(&[u8]) -> Inside<'_>,
}

/// How a carrier is recognised.
enum By {
    EtherType(u16),
    Protocol(u8),
    /// Destination port.
    Udp(u16),
}

/// What a carrier holds.
enum Inside<'a> {
    Holds(Kind, &'a [u8]),
    /// Nothing that could be read, by the nature of the carrier.
    Opaque,
    /// Something that should be readable and is not.
    Unreadable,
}

static TUNNELS: &[Tunnel] = &[
    row("IPv4 in IP", By::Protocol(4), |o| {
        Inside::Holds(Kind::V4, o)
    }),
    row("IPv6 in IP", By::Protocol(41), |o| {
        Inside::Holds(Kind::V6, o)
    }),
    row("GRE", By::Protocol(47), gre),
    row("ESP", By::Protocol(50), opaque),
    row("Ethernet in IP", By::Protocol(97), |o| {
        after(o, 2, Kind::Ethernet)
    }),
    row("IPComp", By::Protocol(108), opaque),
    row("L2TP", By::Protocol(115), opaque),
    row("MPLS in IP", By::Protocol(137), mpls),
    row("Ethernet in SRv6", By::Protocol(143), |o| {
        Inside::Holds(Kind::Ethernet, o)
    }),
    row("MPLS", By::EtherType(0x8847), mpls),
    row("MPLS", By::EtherType(0x8848), mpls),
    row("PPPoE", By::EtherType(0x8864), pppoe),
    row("bridged Ethernet", By::EtherType(0x6558), |o| {
        Inside::Holds(Kind::Ethernet, o)
    }),
    row("a VN tag", By::EtherType(0x8926), |o| announced(o, 4)),
    row("an E-tag", By::EtherType(0x893f), |o| announced(o, 6)),
    row("an R-tag", By::EtherType(0xf1c1), |o| announced(o, 4)),
    row("provider backbone bridge", By::EtherType(0x88e7), |o| {
        after(o, 4, Kind::Ethernet)
    }),
    row("TRILL", By::EtherType(0x22f3), opaque),
    row("NSH", By::EtherType(0x894f), nsh),
    row("MACsec", By::EtherType(0x88e5), opaque),
    row("OpenVPN", By::Udp(1194), opaque),
    row("L2TP", By::Udp(1701), opaque),
    row("GTP", By::Udp(2152), gtp),
    row("Teredo", By::Udp(3544), teredo),
    row("LISP", By::Udp(4341), |o| after(o, 8, Kind::Ip)),
    row("IPsec over UDP", By::Udp(4500), opaque),
    row("GRE in UDP", By::Udp(4754), gre),
    row("GRE over DTLS", By::Udp(4755), opaque),
    row("VXLAN", By::Udp(4789), |o| after(o, 8, Kind::Ethernet)),
    row("VXLAN GPE", By::Udp(4790), vxlan_gpe),
    row("CAPWAP", By::Udp(5247), opaque),
    row("GUE", By::Udp(6080), opaque),
    row("Geneve", By::Udp(6081), geneve),
    row("MPLS in UDP", By::Udp(6635), mpls),
    row("MPLS over DTLS", By::Udp(6636), opaque),
    row("VXLAN", By::Udp(8472), |o| after(o, 8, Kind::Ethernet)),
    row("WireGuard", By::Udp(51820), opaque),
];

const fn row(name: &'static str, by: By, inside: fn(&[u8]) -> Inside<'_>) -> Tunnel {
    Tunnel { name, by, inside }
}

pub(super) fn by_ether_type(number: u16) -> Option<&'static Tunnel> {
    TUNNELS
        .iter()
        .find(|tunnel| matches!(tunnel.by, By::EtherType(n) if n == number))
}

pub(super) fn by_protocol(number: u8) -> Option<&'static Tunnel> {
    TUNNELS
        .iter()
        .find(|tunnel| matches!(tunnel.by, By::Protocol(n) if n == number))
}

pub(super) fn by_udp_port(port: u16) -> Option<&'static Tunnel> {
    TUNNELS
        .iter()
        .find(|tunnel| matches!(tunnel.by, By::Udp(n) if n == port))
}

impl<'a> Frame<'a> {
    pub(super) fn enter(&mut self, tunnel: &'static Tunnel, octets: &'a [u8]) -> Next<'a> {
        self.tunnel.get_or_insert(tunnel.name);
        match (tunnel.inside)(octets) {
            Inside::Holds(kind, rest) => Some((kind, rest)),
            Inside::Opaque => None,
            Inside::Unreadable => self.refuse("what a tunnel carries cannot be read"),
        }
    }
}

fn opaque(_: &[u8]) -> Inside<'_> {
    Inside::Opaque
}

fn after(octets: &[u8], len: usize, kind: Kind) -> Inside<'_> {
    octets
        .get(len..)
        .map_or(Inside::Unreadable, |rest| Inside::Holds(kind, rest))
}

/// An EtherType after `len` bytes, and what it announces.
fn announced(octets: &[u8], len: usize) -> Inside<'_> {
    be16(octets, len).map_or(Inside::Unreadable, |kind| {
        after(octets, len + 2, Kind::EtherType(kind))
    })
}

/// RFC 2784 §2, RFC 2890 §2; version 1 is PPTP (RFC 2637), whose PPP may be compressed or
/// encrypted.
fn gre(octets: &[u8]) -> Inside<'_> {
    let (Some(flags), Some(kind)) = (be16(octets, 0), be16(octets, 2)) else {
        return Inside::Unreadable;
    };
    let has = |bit: u16| usize::from(flags & bit != 0) * 4;
    match (flags & 7, flags & 0x4000) {
        (0, 0) => after(
            octets,
            4 + has(0x8000) + has(0x2000) + has(0x1000),
            Kind::EtherType(kind),
        ),
        (1, _) => Inside::Opaque,
        _ => Inside::Unreadable,
    }
}

/// RFC 3032 §2.1; what follows the labels is told by its first four bits (RFC 4928 §3, RFC 4385
/// §3).
fn mpls(octets: &[u8]) -> Inside<'_> {
    let Some(last) = octets
        .chunks_exact(4)
        .take(16)
        .position(|label| label[2] & 1 != 0)
    else {
        return Inside::Unreadable;
    };
    let rest = &octets[4 * (last + 1)..];
    match rest.first().map(|octet| octet >> 4) {
        Some(4 | 6) => Inside::Holds(Kind::Ip, rest),
        Some(0) => after(rest, 4, Kind::Ethernet),
        _ => Inside::Unreadable,
    }
}

/// RFC 2516 §4, RFC 1661 §2. Other PPP protocols negotiate the link and carry nothing.
fn pppoe(octets: &[u8]) -> Inside<'_> {
    match be16(octets, 6) {
        Some(0x0021) => after(octets, 8, Kind::V4),
        Some(0x0057) => after(octets, 8, Kind::V6),
        Some(0xc000..) => Inside::Opaque,
        _ => Inside::Unreadable,
    }
}

/// 3GPP TS 29.281 §5.1: message 255 carries a packet, after an optional part and a chain of
/// extension headers.
fn gtp(octets: &[u8]) -> Inside<'_> {
    let [flags, message, ..] = *octets else {
        return Inside::Unreadable;
    };
    if message != 255 {
        return Inside::Opaque;
    }
    let mut len = if flags & 7 == 0 { 8 } else { 12 };
    let mut next = if flags & 4 == 0 {
        Some(&0)
    } else {
        octets.get(11)
    };
    for _ in 0..4 {
        match (next, octets.get(len)) {
            (Some(0), _) => return after(octets, len, Kind::Ip),
            (Some(_), Some(&units)) if units > 0 => {
                len += usize::from(units) * 4;
                next = octets.get(len - 1);
            }
            _ => return Inside::Unreadable,
        }
    }
    Inside::Unreadable
}

/// RFC 4380 §5.1.1: an authentication and an origin indication may come first.
fn teredo(mut octets: &[u8]) -> Inside<'_> {
    for _ in 0..2 {
        octets = match *octets {
            [0, 1, id, value, ..] => octets
                .get(13 + usize::from(id) + usize::from(value)..)
                .unwrap_or(&[]),
            [0, 0, ..] => octets.get(8..).unwrap_or(&[]),
            _ => octets,
        };
    }
    Inside::Holds(Kind::V6, octets)
}

/// draft-ietf-nvo3-vxlan-gpe §3.1.
fn vxlan_gpe(octets: &[u8]) -> Inside<'_> {
    match octets.get(3) {
        Some(1) => after(octets, 8, Kind::V4),
        Some(2) => after(octets, 8, Kind::V6),
        Some(3) => after(octets, 8, Kind::Ethernet),
        Some(4) => octets.get(8..).map_or(Inside::Unreadable, nsh),
        _ => Inside::Unreadable,
    }
}

/// RFC 8300 §2.2: the length counts words of four bytes; another NSH may follow.
fn nsh(mut octets: &[u8]) -> Inside<'_> {
    for _ in 0..4 {
        let (Some(words), Some(next)) = (octets.get(1).map(|it| it & 0x3f), octets.get(3)) else {
            return Inside::Unreadable;
        };
        let len = usize::from(words) * 4;
        match next {
            _ if len < 8 => return Inside::Unreadable,
            1 => return after(octets, len, Kind::V4),
            2 => return after(octets, len, Kind::V6),
            3 => return after(octets, len, Kind::Ethernet),
            4 => octets = octets.get(len..).unwrap_or(&[]),
            5 => return octets.get(len..).map_or(Inside::Unreadable, mpls),
            _ => return Inside::Unreadable,
        }
    }
    Inside::Unreadable
}

/// RFC 8926 §3.4.
fn geneve(octets: &[u8]) -> Inside<'_> {
    match (octets.first(), be16(octets, 2)) {
        (Some(first), Some(kind)) => after(
            octets,
            8 + usize::from(first & 0x3f) * 4,
            Kind::EtherType(kind),
        ),
        _ => Inside::Unreadable,
    }
}
