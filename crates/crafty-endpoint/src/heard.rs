//! What a packet says in its headers: addresses, protocol, ports, flags. Read by the codec's tables into
//! a buffer that is used again, so that a packet costs no allocation.

use crate::option::EndpointMode;
use crafty_wire::protocols::{eth, icmp, icmp6, ip, ip6, tcp, udp};
use crafty_wire::{Decoded, Layer, LayerRole, PacketView, decode};
use std::net::IpAddr;

/// Names of IP protocols, as events and actions write them, with their numbers (IANA). The first name
/// of a number is the one that events use.
const PROTOCOLS: &[(u8, &str)] = &[
    (1, "icmp"),
    (2, "igmp"),
    (4, "ipip"),
    (6, "tcp"),
    (17, "udp"),
    (41, "ipv6"),
    (47, "gre"),
    (50, "esp"),
    (51, "ah"),
    (58, "icmpv6"),
    (89, "ospf"),
    (103, "pim"),
    (112, "vrrp"),
    (132, "sctp"),
];

/// ICMP for IPv4.
pub const ICMP: u8 = 1;
/// TCP.
pub const TCP: u8 = 6;
/// UDP.
pub const UDP: u8 = 17;
/// ICMP for IPv6.
pub const ICMPV6: u8 = 58;

/// The name of an IP protocol.
pub fn protocol_name(number: u8) -> Option<&'static str> {
    PROTOCOLS
        .iter()
        .find(|row| row.0 == number)
        .map(|row| row.1)
}

/// The number of an IP protocol with this name.
pub fn protocol_number(name: &str) -> Option<u8> {
    PROTOCOLS.iter().find(|row| row.1 == name).map(|row| row.0)
}

/// All names of protocols.
pub fn protocol_names() -> impl Iterator<Item = &'static str> {
    PROTOCOLS.iter().map(|row| row.1)
}

/// The headers of one packet that came out of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeardPacket {
    /// 4 or 6.
    pub version: u8,
    /// Source address.
    pub source: IpAddr,
    /// Destination address.
    pub destination: IpAddr,
    /// Number of what IP carries, behind IPv6 extension headers.
    pub protocol: u8,
    /// Source and destination port of TCP or UDP; none in later fragments.
    pub ports: Option<(u16, u16)>,
    /// Flags of TCP, as its table has them.
    pub tcp_flags: Option<u16>,
    /// Type of ICMP or ICMPv6.
    pub icmp_type: Option<u8>,
    /// Bytes of the whole packet, from the IP header on.
    pub length: usize,
    /// Position of the IP header among the layers.
    pub network: usize,
    /// Position of the last header before what IP carries: an extension header, or IP's own.
    pub carrier: usize,
    /// Position of the TCP, UDP or ICMP header.
    pub transport: Option<usize>,
}

/// SYN and ACK, as bits of TCP's flags.
const SYN: u16 = 0x02;
const ACK: u16 = 0x10;

impl HeardPacket {
    /// Whether it asks for a new TCP connection.
    pub fn opens(&self) -> bool {
        self.tcp_flags
            .is_some_and(|flags| flags & (SYN | ACK) == SYN)
    }
}

/// Reads packets, one after the other, into the same room.
#[derive(Debug, Default)]
pub struct PacketReader {
    decoded: Decoded,
}

impl PacketReader {
    /// The headers of what an interface of this mode carries.
    pub fn read_from(&mut self, mode: EndpointMode, bytes: &[u8]) -> Option<HeardPacket> {
        let first = match mode {
            EndpointMode::Tun => network_layer(bytes),
            EndpointMode::Tap => Some(ethernet()),
        };
        first.and_then(|first| self.read(first, bytes))
    }

    /// The headers of a packet that begins with this layer; nothing if it is not IP, or not readable as
    /// such.
    pub fn read(&mut self, first: &'static Layer, bytes: &[u8]) -> Option<HeardPacket> {
        decode(first, bytes, bytes.len(), &mut self.decoded);
        headers(&PacketView::new(bytes, &self.decoded))
    }

    /// The layers of the packet that was read last; `bytes` must be its.
    pub fn view<'a>(&'a self, bytes: &'a [u8]) -> PacketView<'a, 'a> {
        PacketView::new(bytes, &self.decoded)
    }
}

/// What a frame of Ethernet begins with.
pub fn ethernet() -> &'static Layer {
    &eth::LAYER
}

/// What a bare packet begins with, by its first four bits.
pub fn network_layer(bytes: &[u8]) -> Option<&'static Layer> {
    match bytes.first()? >> 4 {
        4 => Some(&ip::LAYER),
        6 => Some(&ip6::LAYER),
        _ => None,
    }
}

fn headers(view: &PacketView<'_, '_>) -> Option<HeardPacket> {
    let network = view.first(LayerRole::Network, 0)?;
    let link = |at: usize| view.role(at) == Some(LayerRole::Link);
    if !(0..network).all(link) {
        return None;
    }
    let (source, destination) = view.addresses(network)?;
    let (protocol, last) = carried(view, network)?;
    let transport = transport(view, protocol, last + 1);
    let number = |name| view.uint(transport?, name);
    let (is_tcp, is_icmp) = (protocol == TCP, matches!(protocol, ICMP | ICMPV6));
    let length = view.datagram_end(network)? - view.layers().get(network)?.start;
    Some(HeardPacket {
        version: if source.is_ipv4() { 4 } else { 6 },
        source,
        destination,
        protocol,
        ports: transport.filter(|_| !is_icmp).and_then(|at| view.ports(at)),
        tcp_flags: number("flags").filter(|_| is_tcp).map(|flags| flags as u16),
        icmp_type: number("type").filter(|_| is_icmp).map(|kind| kind as u8),
        length,
        network,
        carrier: last,
        transport,
    })
}

/// The protocol that a packet carries, and the position of the header that says so: the last IPv6
/// extension header, or the IP header itself.
fn carried(view: &PacketView<'_, '_>, network: usize) -> Option<(u8, usize)> {
    let mut at = network;
    let mut protocol = view.uint(at, "proto").or_else(|| view.uint(at, "next"))?;
    while view.role(at + 1) == Some(LayerRole::Extension) {
        at += 1;
        protocol = view.uint(at, "next")?;
    }
    Some((u8::try_from(protocol).ok()?, at))
}

/// The position of the header of this protocol, if it is where it should be, and whole.
fn transport(view: &PacketView<'_, '_>, protocol: u8, at: usize) -> Option<usize> {
    let wanted: &Layer = match protocol {
        TCP => &tcp::LAYER,
        UDP => &udp::LAYER,
        ICMP => &icmp::LAYER,
        ICMPV6 => &icmp6::LAYER,
        _ => return None,
    };
    view.layer(at).filter(|layer| *layer == wanted).map(|_| at)
}

/// The name of its ICMP type.
pub fn icmp_type_name(packet: &HeardPacket) -> Option<&'static str> {
    icmp_layer(packet.version)
        .field("type")?
        .1
        .name_of(packet.icmp_type?.into())
}

/// The table of ICMP of an IP version.
pub fn icmp_layer(version: u8) -> &'static Layer {
    match version {
        4 => &icmp::LAYER,
        _ => &icmp6::LAYER,
    }
}
