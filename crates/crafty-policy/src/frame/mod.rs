//! What the bytes of a frame say: addresses, ports, flags, and whatever does not add up. A total
//! function of the bytes; it judges nothing and knows no policy. Headers inside headers are read by
//! the same code, `DEPTH` IP headers deep.

mod dtls;
mod extensions;
mod ip;
mod link;
mod quic;
mod quote;
mod transport;
mod tunnels;

pub(crate) use link::{Arp, EthernetHeader, Foreign};
pub(crate) use quote::{Quote, quoted};
pub(crate) use transport::{ACK, ICMP, ICMP6, NOTHING, RST, SYN, TCP, TransportHeader, UDP};

use crate::LinkKind;
use core::net::IpAddr;

/// IP headers that one frame may hold.
const DEPTH: usize = 4;

/// Steps from header to header that one frame may take.
const STEPS: usize = 32;

/// A frame as read.
#[derive(Debug)]
pub(crate) struct ParsedFrame<'a> {
    /// All of it.
    pub octets: &'a [u8],
    /// The outermost Ethernet header.
    pub link: Option<EthernetHeader>,
    /// What an Ethernet header announces that is neither IP nor ARP.
    pub foreign: Option<Foreign>,
    /// An ARP packet.
    pub arp: Option<Arp>,
    /// The first length, version or checksum that is not true.
    pub lie: Option<&'static str>,
    /// The first kind of tunnel.
    pub tunnel: Option<&'static str>,
    /// The first carrier that cannot be looked into.
    pub opaque: Option<&'static str>,
    /// Why the frame cannot be read so far that it could be judged.
    pub refused: Option<&'static str>,
    packets: [Option<IpPacket<'a>>; DEPTH],
    padded: bool,
}

/// One IP header with what follows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IpPacket<'a> {
    /// From the IP header to the end of the datagram.
    pub octets: &'a [u8],
    /// After the IP header and its extensions.
    pub body: &'a [u8],
    pub source: IpAddr,
    pub destination: IpAddr,
    /// The number of the transport.
    pub protocol: u8,
    pub hop_limit: u8,
    /// IPv4 options, or IPv6 extension headers other than fragment.
    pub options: bool,
    /// A source route, a home address, or a routing header whose addresses cannot be told.
    pub rerouted: bool,
    /// The addresses of a routing header, 16 bytes each.
    pub segments: &'a [u8],
    pub fragment: Option<FragmentRange>,
    /// Whether nothing was a lie or unreadable up to here: of what follows nothing is said.
    pub sound: bool,
    pub transport: TransportHeader,
}

/// The place of a fragment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FragmentRange {
    pub id: u32,
    /// In bytes.
    pub offset: usize,
    pub more: bool,
    /// Bytes of the packet before the part that is cut, the fragment header not counted.
    pub unfragmentable: usize,
    /// IPv6: where the byte is that announces the fragment header, and the protocol that it
    /// replaces.
    pub announced: Option<(usize, u8)>,
}

/// What begins at a place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HeaderKind {
    Ethernet,
    EtherType(u16),
    /// IP of the version that its first four bits say.
    Ip,
    V4,
    V6,
}

type NextHeader<'a> = Option<(HeaderKind, &'a [u8])>;

impl<'a> ParsedFrame<'a> {
    /// Reads a frame.
    pub fn read(octets: &'a [u8], link: LinkKind) -> ParsedFrame<'a> {
        let mut frame = ParsedFrame {
            octets,
            link: None,
            foreign: None,
            arp: None,
            lie: None,
            tunnel: None,
            opaque: None,
            refused: None,
            packets: [None; DEPTH],
            padded: false,
        };
        let first = if link == LinkKind::Ethernet {
            HeaderKind::Ethernet
        } else {
            HeaderKind::Ip
        };
        let mut next = Some((first, octets));
        for _ in 0..STEPS {
            let Some((kind, rest)) = next else {
                return frame;
            };
            next = frame.step(kind, rest);
        }
        if next.is_some() {
            frame.refuse("headers are nested too deeply");
        }
        frame
    }

    /// The IP headers, outermost first.
    pub fn packets(&self) -> impl Iterator<Item = &IpPacket<'a>> {
        self.packets.iter().map_while(Option::as_ref)
    }

    /// The outermost IP header.
    pub fn outer(&self) -> Option<&IpPacket<'a>> {
        self.packets[0].as_ref()
    }

    /// Whether the outermost Ethernet header is for a group.
    pub fn is_for_group(&self) -> bool {
        self.link.is_some_and(|link| link.destination.is_group())
    }

    /// Whether what this packet has as transport is a carrier of other packets.
    pub fn is_carrier(&self, packet: &IpPacket) -> bool {
        tunnels::by_protocol(packet.protocol).is_some()
    }

    /// How many connections the frame may open: every one that cannot be excluded.
    pub fn openings(&self) -> u64 {
        self.packets().filter(|packet| packet.opens()).count() as u64
    }

    fn step(&mut self, kind: HeaderKind, octets: &'a [u8]) -> NextHeader<'a> {
        match kind {
            HeaderKind::Ethernet => self.ethernet(octets),
            HeaderKind::EtherType(number) => self.ether_type(number, octets),
            HeaderKind::Ip => match octets.first().map(|octet| octet >> 4) {
                Some(4) => self.v4(octets),
                Some(6) => self.v6(octets),
                _ => self.refuse("the bytes are neither IPv4 nor IPv6"),
            },
            HeaderKind::V4 => self.v4(octets),
            HeaderKind::V6 => self.v6(octets),
        }
    }

    fn refuse(&mut self, why: &'static str) -> NextHeader<'a> {
        self.refused.get_or_insert(why);
        None
    }

    fn lie(&mut self, what: &'static str) {
        self.lie.get_or_insert(what);
    }

    fn lie_if(&mut self, lies: bool, what: &'static str) {
        if lies {
            self.lie(what);
        }
    }

    /// Where what claims to be `claimed` bytes long ends. Zeros that fill a short Ethernet frame
    /// may follow.
    fn end(&mut self, octets: &[u8], claimed: usize) -> usize {
        let Some(rest) = octets.get(claimed..) else {
            self.lie("a length exceeds the bytes that are there");
            return octets.len();
        };
        let padding = self.padded && rest.iter().all(|&octet| octet == 0);
        self.lie_if(
            !rest.is_empty() && !padding,
            "bytes follow the end of the datagram",
        );
        claimed
    }

    fn push(&mut self, packet: IpPacket<'a>) {
        match self.packets.iter_mut().find(|slot| slot.is_none()) {
            Some(slot) => *slot = Some(packet),
            None => self.refused = Some("more than 4 IP headers"),
        }
        self.padded = false;
    }
}

impl IpPacket<'_> {
    /// Whether this is not the first fragment of its datagram, so that its transport header is
    /// elsewhere.
    pub fn is_later_fragment(&self) -> bool {
        self.fragment.is_some_and(|fragment| fragment.offset > 0)
    }

    pub fn is_v6(&self) -> bool {
        self.destination.is_ipv6()
    }

    fn opens(&self) -> bool {
        match self.transport {
            TransportHeader::Tcp { flags, .. } => flags & transport::SYN != 0,
            TransportHeader::Hidden => {
                !self.is_later_fragment() && !matches!(self.protocol, UDP | ICMP | ICMP6)
            }
            TransportHeader::Udp {
                source,
                destination,
            } => {
                let whole = self.fragment.is_none_or(|fragment| !fragment.more);
                let payload = self.body.get(8..).unwrap_or(&[]);
                let is_sctp = source == SCTP_IN_UDP || destination == SCTP_IN_UDP;
                opens_over_udp(payload, whole) || is_sctp && opens_sctp(payload)
            }
            TransportHeader::Other => match self.protocol {
                transport::SCTP => opens_sctp(self.body),
                transport::DCCP => opens_dccp(self.body),
                _ => false,
            },
            TransportHeader::Icmp { .. } => false,
        }
    }
}

/// RFC 6951 §3.
const SCTP_IN_UDP: u16 = 9899;

/// An INIT chunk (RFC 9260 §3.3.2) is the only one of its packet.
fn opens_sctp(packet: &[u8]) -> bool {
    packet.get(12) == Some(&1)
}

/// A DCCP-Request (RFC 4340 §5.1): type 0 between three bits and one.
fn opens_dccp(packet: &[u8]) -> bool {
    packet.get(8).is_some_and(|byte| byte >> 1 & 15 == 0)
}

/// Bytes of a DTLS record and handshake header up to the type (RFC 9147 §5.1), which is more than
/// QUIC needs to be known.
const TELLING: usize = 14;

/// A QUIC Initial or a DTLS client hello, on whatever port. Of what is cut, whatever cannot be
/// excluded.
fn opens_over_udp(payload: &[u8], whole: bool) -> bool {
    dtls::opens(payload, whole) || quic::opens(payload, whole) || !whole && payload.len() < TELLING
}

fn be16(octets: &[u8], at: usize) -> Option<u16> {
    octets
        .get(at..)?
        .first_chunk()
        .map(|&two| u16::from_be_bytes(two))
}

fn be32(octets: &[u8], at: usize) -> Option<u32> {
    octets
        .get(at..)?
        .first_chunk()
        .map(|&four| u32::from_be_bytes(four))
}
