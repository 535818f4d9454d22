//! What a program may see of what was received: its own traffic, unless it may observe. Lengths and
//! checksums do not matter here; the network may say anything.

use crate::case::{GateHistory, speaks_as};
use crate::flows::{LocalFlow, owned};
use crate::frame::{ACK, Arp, IpPacket, ParsedFrame, RST, SYN, TCP, TransportHeader, UDP, quoted};
use crate::{HostAddresses, Policy, Power};
use core::net::IpAddr;

/// Who listens.
pub(crate) struct ObservationRights<'a> {
    pub policy: &'a Policy,
    pub host: &'a HostAddresses,
    pub memory: &'a GateHistory,
}

impl ObservationRights<'_> {
    /// Whether the program may see the frame.
    pub fn hears(&self, frame: &ParsedFrame) -> bool {
        self.observes(frame)
            || match (frame.outer(), frame.arp) {
                (Some(packet), _) => self.hears_packet(packet),
                (None, Some(arp)) => self.hears_arp(&arp),
                (None, None) => false,
            }
    }

    /// The conversation that the frame opens or continues with: from a destination to an owned
    /// port.
    pub fn conversation(&self, frame: &ParsedFrame) -> Option<LocalFlow> {
        let packet = frame.outer()?;
        let flow = LocalFlow::received(packet);
        self.opens(packet, &flow).then_some(flow)
    }

    fn observes(&self, frame: &ParsedFrame) -> bool {
        let Some(set) = &self.policy.observe else {
            return self.policy.powers.has(Power::Observe);
        };
        let ends = frame
            .outer()
            .map(|packet| [packet.source, packet.destination]);
        let ends = ends.or(frame.arp.map(|arp| [arp.sender, arp.target]));
        self.policy.powers.has(Power::Observe)
            && ends.is_some_and(|ends| ends.iter().any(|&end| set.contains(end)))
    }

    fn hears_packet(&self, packet: &IpPacket) -> bool {
        if packet.is_error() {
            return self.is_ours(packet.destination) && self.quotes_us(packet);
        }
        if let TransportHeader::Icmp {
            kind: 135 | 136, ..
        } = packet.transport
            && packet.is_v6()
        {
            return self.hears_nd(packet);
        }
        let to_us = self.is_ours(packet.destination)
            || self.is_listed_group(packet.destination)
            || self.answers_broadcast(packet);
        to_us && self.is_destination(packet.source) && self.is_from_listed_port(packet)
    }

    /// Where `destination_ports` limits what may be sent, it limits what may be heard: from a
    /// listed port, or in a conversation that a peer opened to one of `PORTS`.
    fn is_from_listed_port(&self, packet: &IpPacket) -> bool {
        let Some(listed) = &self.policy.destination_ports else {
            return true;
        };
        let listed = match packet.transport {
            TransportHeader::Tcp { source, .. } => listed.tcp.contains(source),
            TransportHeader::Udp { source, .. } => listed.udp.contains(source),
            TransportHeader::Hidden => packet.is_later_fragment(),
            TransportHeader::Icmp { .. } | TransportHeader::Other => true,
        };
        let flow = LocalFlow::received(packet);
        listed || self.memory.peers.contains(&flow) || self.opens(packet, &flow)
    }

    /// Whether a peer opens a conversation with a packet, or continues with one that needs no
    /// opening.
    fn opens(&self, packet: &IpPacket, flow: &LocalFlow) -> bool {
        let opening = match packet.transport {
            TransportHeader::Tcp { flags, .. } => flags & (SYN | ACK | RST) == SYN,
            TransportHeader::Udp { .. } => true,
            _ => false,
        };
        opening
            && self.is_ours(flow.local)
            && self.is_destination(flow.remote)
            && owned(&self.policy.ports, flow)
    }

    /// An error is heard from any router, but only about a packet that left from here to a
    /// destination.
    fn quotes_us(&self, error: &IpPacket) -> bool {
        let Some(flow) = quoted(error).map(|quote| LocalFlow::quoted_sent(&quote)) else {
            return false;
        };
        let owned = owned(&self.policy.ports, &flow) && self.may_go_to(&flow);
        let left = owned || self.memory.sent.contains(&flow);
        self.is_ours(flow.local) && self.is_destination(flow.remote) && left
    }

    /// Whether a packet of this flow may leave, as far as its port goes.
    fn may_go_to(&self, flow: &LocalFlow) -> bool {
        let Some(listed) = &self.policy.destination_ports else {
            return true;
        };
        let listed = match flow.protocol {
            TCP => listed.tcp.contains(flow.ports.1),
            UDP => listed.udp.contains(flow.ports.1),
            _ => true,
        };
        listed || self.memory.peers.contains(flow)
    }

    /// A question for an own address, or what a neighbour says of itself.
    fn hears_arp(&self, arp: &Arp) -> bool {
        let answer =
            self.is_neighbour(arp.sender) && (arp.target == arp.sender || self.is_ours(arp.target));
        answer || self.is_ours(arp.target) || self.answers_probe(arp)
    }

    /// What a destination says of an address that the program asked for without giving its own
    /// (RFC 5227 §2.1.1).
    fn answers_probe(&self, arp: &Arp) -> bool {
        arp.target.is_unspecified()
            && self.memory.asked.contains(&arp.sender)
            && self.is_neighbour(arp.sender)
    }

    /// A datagram back to where the program sent a broadcast from, whatever address it is for: the
    /// asker may have none yet (RFC 2131 §4.1).
    fn answers_broadcast(&self, packet: &IpPacket) -> bool {
        let TransportHeader::Udp { .. } = packet.transport else {
            return false;
        };
        let nobody = IpAddr::from([0; 4]);
        let own = self.host.addresses.iter().map(|(own, _)| *own);
        own.chain([nobody]).any(|local| {
            self.memory.sent.contains(&LocalFlow {
                local,
                remote: IpAddr::from([255; 4]),
                ..LocalFlow::received(packet)
            })
        })
    }

    fn hears_nd(&self, packet: &IpPacket) -> bool {
        let target = packet
            .body
            .get(8..24)
            .and_then(|octets| octets.first_chunk::<16>());
        let Some(target) = target.map(|&octets| IpAddr::from(octets)) else {
            return false;
        };
        let to_us = self.is_ours(packet.destination) || packet.destination.is_multicast();
        packet.hop_limit == 255 && to_us && (self.is_ours(target) || self.is_neighbour(target))
    }

    pub(crate) fn is_ours(&self, address: IpAddr) -> bool {
        speaks_as(self.policy, self.host, address)
    }

    pub(crate) fn is_destination(&self, address: IpAddr) -> bool {
        self.policy.destinations.contains(address)
    }

    fn is_neighbour(&self, address: IpAddr) -> bool {
        self.is_destination(address) || self.host.gateways.contains(&address)
    }

    pub(crate) fn is_listed_group(&self, address: IpAddr) -> bool {
        address.is_multicast()
            && self.policy.destinations.lists(address)
            && self.policy.powers.has(Power::Broadcast)
    }
}
