//! Carriers of other packets: a row each, with how far to what is inside.

use super::{HeaderKind, NextHeader, ParsedFrame, be16};

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
    /// Either port: both ends use it, or the server answers from it.
    UdpEnds(u16),
}

/// What a carrier holds.
enum Inside<'a> {
    Holds(HeaderKind, &'a [u8]),
    /// A message of the carrier itself, which carries nothing.
    Nothing,
    /// Something that cannot be read, by the nature of the carrier.
    Opaque,
    /// Something that should be readable and is not.
    Unreadable,
}

static TUNNELS: &[Tunnel] = &[
    row("IPv4 in IP", By::Protocol(4), |o| {
        Inside::Holds(HeaderKind::V4, o)
    }),
    row("IPv6 in IP", By::Protocol(41), |o| {
        Inside::Holds(HeaderKind::V6, o)
    }),
    row("GRE", By::Protocol(47), gre),
    row("ESP", By::Protocol(50), opaque),
    row("Ethernet in IP", By::Protocol(97), |o| {
        after(o, 2, HeaderKind::Ethernet)
    }),
    row("IPComp", By::Protocol(108), opaque),
    row("L2TP", By::Protocol(115), opaque),
    row("MPLS in IP", By::Protocol(137), mpls),
    row("Ethernet in SRv6", By::Protocol(143), |o| {
        Inside::Holds(HeaderKind::Ethernet, o)
    }),
    row("MPLS", By::EtherType(0x8847), mpls),
    row("MPLS", By::EtherType(0x8848), mpls),
    row("PPPoE", By::EtherType(0x8864), pppoe),
    row("bridged Ethernet", By::EtherType(0x6558), |o| {
        Inside::Holds(HeaderKind::Ethernet, o)
    }),
    row("a VN tag", By::EtherType(0x8926), |o| announced(o, 4)),
    row("an E-tag", By::EtherType(0x893f), |o| announced(o, 6)),
    row("an R-tag", By::EtherType(0xf1c1), |o| announced(o, 4)),
    row("an HSR tag", By::EtherType(0x892f), |o| announced(o, 4)),
    row("Cisco metadata", By::EtherType(0x8909), |o| announced(o, 6)),
    row("FabricPath", By::EtherType(0x8903), |o| {
        after(o, 2, HeaderKind::Ethernet)
    }),
    row("provider backbone bridge", By::EtherType(0x88e7), |o| {
        after(o, 4, HeaderKind::Ethernet)
    }),
    row("TRILL", By::EtherType(0x22f3), trill),
    row("NSH", By::EtherType(0x894f), nsh),
    row("ERSPAN", By::EtherType(0x88be), |o| {
        after(o, 8, HeaderKind::Ethernet)
    }),
    row("ERSPAN", By::EtherType(0x22eb), erspan3),
    row("PPP", By::EtherType(0x880b), ppp),
    row("MACsec", By::EtherType(0x88e5), opaque),
    row("OpenVPN", By::UdpEnds(1194), opaque),
    row("L2TP", By::UdpEnds(1701), l2tp),
    row("GTP", By::UdpEnds(2152), gtp),
    row("GTP prime", By::UdpEnds(3386), opaque),
    row("Teredo", By::UdpEnds(3544), teredo),
    row("Nebula", By::UdpEnds(4242), opaque),
    row("LISP", By::Udp(4341), lisp),
    row("IPsec over UDP", By::UdpEnds(4500), opaque),
    row("GRE in UDP", By::Udp(4754), gre),
    row("GRE over DTLS", By::Udp(4755), opaque),
    row("VXLAN", By::Udp(4789), |o| {
        after(o, 8, HeaderKind::Ethernet)
    }),
    row("VXLAN GPE", By::Udp(4790), vxlan_gpe),
    row("AYIYA", By::UdpEnds(5072), opaque),
    row("CAPWAP", By::UdpEnds(5247), opaque),
    row("GUE", By::Udp(6080), opaque),
    row("Geneve", By::Udp(6081), geneve),
    row("MPLS in UDP", By::Udp(6635), mpls),
    row("MPLS over DTLS", By::Udp(6636), opaque),
    row("VXLAN", By::Udp(8472), |o| {
        after(o, 8, HeaderKind::Ethernet)
    }),
    row("SCTP in UDP", By::UdpEnds(super::SCTP_IN_UDP), opaque),
    row("ZeroTier", By::UdpEnds(9993), opaque),
    row("LWAPP", By::UdpEnds(12222), opaque),
    row("TZSP", By::UdpEnds(37008), opaque),
    row("WireGuard of Tailscale", By::Udp(41641), opaque),
    row("WireGuard", By::UdpEnds(51820), opaque),
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

/// The destination port decides first.
pub(super) fn by_udp_ports(source: u16, destination: u16) -> Option<&'static Tunnel> {
    let to = |tunnel: &&Tunnel| matches!(tunnel.by, By::Udp(port) | By::UdpEnds(port) if port == destination);
    let from = |tunnel: &&Tunnel| matches!(tunnel.by, By::UdpEnds(port) if port == source);
    TUNNELS
        .iter()
        .find(to)
        .or_else(|| TUNNELS.iter().find(from))
}

impl<'a> ParsedFrame<'a> {
    pub(super) fn enter(&mut self, tunnel: &'static Tunnel, octets: &'a [u8]) -> NextHeader<'a> {
        let inside = (tunnel.inside)(octets);
        let kind = if matches!(inside, Inside::Opaque) {
            &mut self.opaque
        } else {
            &mut self.tunnel
        };
        kind.get_or_insert(tunnel.name);
        match inside {
            Inside::Holds(kind, rest) => Some((kind, rest)),
            Inside::Nothing | Inside::Opaque => None,
            Inside::Unreadable => self.refuse("what a tunnel carries cannot be read"),
        }
    }
}

fn opaque(_: &[u8]) -> Inside<'_> {
    Inside::Opaque
}

fn after(octets: &[u8], len: usize, kind: HeaderKind) -> Inside<'_> {
    octets
        .get(len..)
        .map_or(Inside::Unreadable, |rest| Inside::Holds(kind, rest))
}

/// An EtherType after `len` bytes, and what it announces.
fn announced(octets: &[u8], len: usize) -> Inside<'_> {
    be16(octets, len).map_or(Inside::Unreadable, |kind| {
        after(octets, len + 2, HeaderKind::EtherType(kind))
    })
}

/// RFC 2784 §2, RFC 2890 §2; version 1 is PPTP's (RFC 2637 §4.1), with a key always and an
/// acknowledgement on request. Mirrored frames have a header of their own only behind a sequence
/// number (ERSPAN types I and II).
fn gre(octets: &[u8]) -> Inside<'_> {
    let (Some(flags), Some(kind)) = (be16(octets, 0), be16(octets, 2)) else {
        return Inside::Unreadable;
    };
    let has = |bit: u16| usize::from(flags & bit != 0) * 4;
    let len = 4 + has(0x8000) + has(0x2000) + has(0x1000);
    match (flags & 7, flags & 0x4000) {
        (0, 0) if kind == 0x88be && has(0x1000) == 0 => after(octets, len, HeaderKind::Ethernet),
        (0, 0) => after(octets, len, HeaderKind::EtherType(kind)),
        // An acknowledgement alone carries nothing, and has no number of its own; what is said to be
        // empty and is not, some receiver reads.
        (1, 0) if be16(octets, 4) == Some(0) => match octets.len() == len + has(0x0080) {
            true => Inside::Nothing,
            false => Inside::Unreadable,
        },
        (1, 0) => after(octets, len + has(0x0080), HeaderKind::EtherType(kind)),
        _ => Inside::Unreadable,
    }
}

/// RFC 2661 §3.1: control messages, or PPP behind optional fields; and what RFC 3931 §4.1.2 sends
/// over UDP, whose cookie has no length.
fn l2tp(octets: &[u8]) -> Inside<'_> {
    let Some(flags) = be16(octets, 0) else {
        return Inside::Unreadable;
    };
    let has = |bit: u16| usize::from(flags & bit != 0);
    match (flags & 0x8000, flags & 15) {
        (0x8000, 2 | 3) => Inside::Nothing,
        (0, 2) => {
            let offset = 6 + has(0x4000) * 2 + has(0x0800) * 4;
            let padding = be16(octets, offset).filter(|_| has(0x0200) == 1);
            let start = offset + has(0x0200) * 2 + usize::from(padding.unwrap_or(0));
            after(octets, start, HeaderKind::EtherType(PPP))
        }
        (0, 3) => Inside::Opaque,
        _ => Inside::Unreadable,
    }
}

/// EtherType of PPP in GRE (RFC 2637 §4.1).
const PPP: u16 = 0x880b;

/// RFC 1661 §2: a protocol of one byte or two, behind an address and a control byte or not (RFC
/// 1662 §3.1). Packets in several pieces, compressed and encrypted ones cannot be read.
fn ppp(octets: &[u8]) -> Inside<'_> {
    let octets = octets.strip_prefix(&[0xff, 3]).unwrap_or(octets);
    let (protocol, len) = match octets {
        [short, ..] if short & 1 == 1 => (u16::from(*short), 1),
        [high, low, ..] => (u16::from_be_bytes([*high, *low]), 2),
        _ => return Inside::Nothing,
    };
    match protocol {
        0x0021 => after(octets, len, HeaderKind::V4),
        0x0057 => after(octets, len, HeaderKind::V6),
        0x0281 | 0x0283 => after(octets, len, HeaderKind::EtherType(0x8847)),
        // They negotiate the link and its protocols.
        0x8000.. => Inside::Nothing,
        _ => Inside::Opaque,
    }
}

/// RFC 8300 §2.2: the length in words, and what follows.
fn nsh(octets: &[u8]) -> Inside<'_> {
    let [_, len, _, protocol, ..] = *octets else {
        return Inside::Unreadable;
    };
    let len = usize::from(len & 0x3f) * 4;
    match protocol {
        _ if len < 8 => Inside::Unreadable,
        1 => after(octets, len, HeaderKind::V4),
        2 => after(octets, len, HeaderKind::V6),
        3 => after(octets, len, HeaderKind::Ethernet),
        4 => after(octets, len, HeaderKind::EtherType(0x894f)),
        5 => after(octets, len, HeaderKind::EtherType(0x8847)),
        _ => Inside::Opaque,
    }
}

/// RFC 6325 §3: options by words behind six bytes.
fn trill(octets: &[u8]) -> Inside<'_> {
    be16(octets, 0).map_or(Inside::Unreadable, |first| {
        after(
            octets,
            6 + usize::from(first >> 6 & 0x1f) * 4,
            HeaderKind::Ethernet,
        )
    })
}

/// draft-foschiano-erspan §4.3: the lowest bit announces eight bytes more.
fn erspan3(octets: &[u8]) -> Inside<'_> {
    octets.get(11).map_or(Inside::Unreadable, |flags| {
        after(
            octets,
            12 + usize::from(flags & 1) * 8,
            HeaderKind::Ethernet,
        )
    })
}

/// RFC 3032 §2.1; what follows the labels is recognized by its first four bits (RFC 4928 §3, RFC
/// 4385 §3).
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
        Some(4 | 6) => Inside::Holds(HeaderKind::Ip, rest),
        Some(0) => after(rest, 4, HeaderKind::Ethernet),
        _ => Inside::Unreadable,
    }
}

/// RFC 2516 §4.
fn pppoe(octets: &[u8]) -> Inside<'_> {
    after(octets, 6, HeaderKind::EtherType(PPP))
}

/// 3GPP TS 29.281 §5.1: message 255 carries a packet, after an optional part and a chain of
/// extension headers.
fn gtp(octets: &[u8]) -> Inside<'_> {
    let [flags, message, ..] = *octets else {
        return Inside::Unreadable;
    };
    if message != 255 {
        return Inside::Nothing;
    }
    let mut len = if flags & 7 == 0 { 8 } else { 12 };
    let mut next = if flags & 4 == 0 {
        Some(&0)
    } else {
        octets.get(11)
    };
    for _ in 0..4 {
        match (next, octets.get(len)) {
            (Some(0), _) => return after(octets, len, HeaderKind::Ip),
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
    Inside::Holds(HeaderKind::V6, octets)
}

/// draft-ietf-nvo3-vxlan-gpe §3.1.
fn vxlan_gpe(octets: &[u8]) -> Inside<'_> {
    match octets.get(3) {
        Some(1) => after(octets, 8, HeaderKind::V4),
        Some(2) => after(octets, 8, HeaderKind::V6),
        Some(3) => after(octets, 8, HeaderKind::Ethernet),
        Some(4) => octets.get(8..).map_or(Inside::Unreadable, nsh),
        _ => Inside::Unreadable,
    }
}

/// RFC 9300 §5.1; with the bit P another header tells what follows (RFC 9305 §3.1).
fn lisp(octets: &[u8]) -> Inside<'_> {
    match octets.first() {
        Some(flags) if flags & 4 == 0 => after(octets, 8, HeaderKind::Ip),
        _ => Inside::Unreadable,
    }
}

/// RFC 8926 §3.4.
fn geneve(octets: &[u8]) -> Inside<'_> {
    match (octets.first(), be16(octets, 2)) {
        (Some(first), Some(kind)) => after(
            octets,
            8 + usize::from(first & 0x3f) * 4,
            HeaderKind::EtherType(kind),
        ),
        _ => Inside::Unreadable,
    }
}
