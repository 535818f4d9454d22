//! A packet, read once for all rules. What is quoted in an error is not taken for a packet that
//! passed.

use crate::flow_key::FlowKey;
use crate::packet_meaning::{AddressConflict, PacketMeaning};
use crafty_value::{Direction, Time};
use crafty_wire::protocols::tcp::{TcpOptions, TcpSegment};
use crafty_wire::{
    Decoded, FoundLayer, FragmentPosition, Layer, LayerRole, PacketView, Unverifiable,
};
use std::net::IpAddr;

/// The innermost network header that is not quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkHeader {
    /// Position of its layer.
    pub layer: usize,
    /// Source.
    pub src: IpAddr,
    /// Destination.
    pub dst: IpAddr,
    /// Time to live or hop limit.
    pub ttl: u8,
    /// Service class.
    pub dscp: u8,
    /// Congestion mark; 3 is congestion experienced.
    pub ecn: u8,
    /// Identification, of IPv4 alone.
    pub id: Option<u16>,
    /// Bytes behind the start of the frame where the datagram ends on the wire.
    pub end: usize,
    /// Which part of its datagram it has; `None` for a whole one.
    pub fragment: Option<FragmentPosition>,
}

/// A packet with what a rule may ask of it.
#[derive(Debug)]
pub struct ObservedPacket<'a> {
    /// Its number.
    pub index: u64,
    /// When, if known.
    pub time: Option<Time>,
    /// Its bytes.
    pub octets: &'a [u8],
    /// Its layers.
    pub decoded: &'a Decoded,
    /// Which way it went, if known.
    pub direction: Option<Direction>,
    /// Its network header.
    pub network: Option<NetworkHeader>,
    /// Its TCP header, where it is whole.
    pub tcp: Option<TcpSegment<'a>>,
    /// The options of that header.
    pub tcp_options: TcpOptions,
    /// What it means in its flow: set once the flow took it.
    pub meaning: PacketMeaning,
    /// Whom it contradicts about an address of the link.
    pub conflict: Option<AddressConflict>,
    /// The side of the flow that sent it.
    pub side: usize,
    pub(crate) key: Option<FlowKey>,
}

impl<'a> ObservedPacket<'a> {
    pub(crate) fn new(
        index: u64,
        time: Option<Time>,
        octets: &'a [u8],
        decoded: &'a Decoded,
        direction: Option<Direction>,
    ) -> ObservedPacket<'a> {
        let meaning = PacketMeaning::default();
        let mut packet = ObservedPacket {
            index,
            time,
            octets,
            decoded,
            direction,
            network: None,
            tcp: None,
            tcp_options: TcpOptions::default(),
            meaning,
            conflict: None,
            side: 0,
            key: None,
        };
        packet.network = packet.view().network().and_then(|at| packet.network_at(at));
        let Some(network) = packet.network else {
            return packet;
        };
        let view = packet.view();
        let transport = view
            .first(LayerRole::Transport, network.layer + 1)
            .filter(|at| decoded.layers[*at].partial.is_unfragmented());
        if let Some(at) = transport {
            packet.tcp = TcpSegment::at(view, at);
            packet.tcp_options = packet
                .tcp
                .map(|segment| segment.options())
                .unwrap_or_default();
            let ends = view.endpoints(at);
            packet.key =
                ends.map(|(from, to)| FlowKey::new(decoded.layers[at].layer.name, from, to));
            packet.side = packet
                .key
                .zip(ends)
                .map_or(0, |(key, (from, _))| key.side(from));
        }
        packet
    }

    /// The packet by its layers.
    pub fn view(&self) -> PacketView<'a, 'a> {
        PacketView::new(self.octets, self.decoded)
    }

    /// The first layer that is this one, and is not quoted.
    pub fn position(&self, layer: &Layer) -> Option<usize> {
        let own =
            |found: &FoundLayer| *found.layer == *layer && found.partial != Unverifiable::Quoted;
        self.decoded.layers.iter().position(own)
    }

    fn network_at(&self, layer: usize) -> Option<NetworkHeader> {
        let view = self.view();
        let (src, dst) = view.addresses(layer)?;
        let small = |name| view.uint(layer, name).map(|number| number as u8);
        Some(NetworkHeader {
            layer,
            src,
            dst,
            ttl: small("ttl")?,
            dscp: small("dscp")?,
            ecn: small("ecn")?,
            id: view.uint(layer, "id").map(|id| id as u16),
            end: view.datagram_end(layer)?,
            fragment: view.fragment(layer),
        })
    }
}
