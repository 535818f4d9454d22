//! Builds frames: the layers of a block, literal layers in place of them or on top, what the routes
//! and the live state fill in.

use crate::api::LinkLayer;
use crate::building::block_layers::piece_part;
use crate::building::crafted_flows::{CraftedSegment, FlowEnds};
use crate::building::layer::EvaluatedLayer;
use crate::building::layer::FrameLayer;
use crate::building::layer::LiveFields;
use crate::receiving::field_values;
use crate::receiving::layers;
use crate::sending::uplink::Uplink;
use crate::stacks::open_block::BlockLayer;
use core::net::IpAddr;
use core::ops::Range;
use crafty_value::Mac;
use crafty_wire::{FieldValue, Header, Layer, Template};

/// A frame to be.
#[derive(Debug)]
pub(crate) struct FrameBuilder {
    parts: Vec<FrameLayer>,
    /// Bytes before the first network layer.
    pub link_bytes: usize,
    /// How many of them the MTU counts: labels between link and network.
    pub label_bytes: usize,
    /// Whether a driven IP carries it, which may cut it.
    pub cuts: bool,
    pub transport_payload: i64,
}

impl FrameBuilder {
    pub fn of(parts: Vec<FrameLayer>) -> FrameBuilder {
        let transport_payload = parts
            .last()
            .map_or(0, |p| i64::try_from(p.data_len()).unwrap_or(i64::MAX));
        FrameBuilder {
            parts,
            link_bytes: 0,
            label_bytes: 0,
            cuts: false,
            transport_payload,
        }
    }

    /// Bytes of an MTU that a segment needs for all that is around its payload.
    pub fn around_payload(below: &[BlockLayer]) -> usize {
        let mut parts: Vec<FrameLayer> =
            below.iter().map(|piece| piece_part(piece, None)).collect();
        parts.push(FrameLayer::of(layers::layer_named("TCP")));
        let link = link_bytes(&parts);
        FrameBuilder::of(parts).encode().len().saturating_sub(link)
    }

    /// The bytes of literal layers by themselves: what goes into a stream, behind what the stream
    /// wants before each message.
    pub fn message(written: &[EvaluatedLayer]) -> Vec<u8> {
        let framed = |first: &EvaluatedLayer| {
            crafty_wire::framed_by(first.layer).filter(|by| *by != first.layer)
        };
        let before = written.first().and_then(framed).map(FrameLayer::of);
        let parts = before
            .into_iter()
            .chain(
                written
                    .iter()
                    .map(|w| FrameLayer::literal(w.clone(), &LiveFields::new())),
            )
            .collect();
        FrameBuilder::of(parts).encode()
    }

    /// The bytes between the source address of Ethernet and the last type: the tags of these link
    /// layers.
    pub fn tags(layers: &[(&'static Layer, Vec<(usize, FieldValue)>)]) -> Vec<u8> {
        let link = layers
            .iter()
            .take_while(|(layer, _)| layers::is_link(layer));
        let parts: Vec<FrameLayer> = link
            .map(|(layer, fields)| FrameLayer::with(layer, fields.clone()))
            .collect();
        let tagged = parts.len() > 1 && parts[0].layer.name == "Eth";
        let octets = if tagged {
            FrameBuilder::of(parts).encode()
        } else {
            Vec::new()
        };
        octets
            .get(12..octets.len().saturating_sub(2))
            .map(<[u8]>::to_vec)
            .unwrap_or_default()
    }

    pub fn outermost_ip(&self) -> Option<&FrameLayer> {
        self.parts.iter().find(|p| layers::is_ip(p.layer))
    }

    /// Sources, link layer, ports; gives the neighbour whose link address is to be filled in.
    pub fn fill_below(&mut self, uplink: &mut Uplink) -> Option<IpAddr> {
        let to = self.outermost_ip().and_then(|p| p.address("dst"));
        let way = to.and_then(|to| uplink.route_to(to));
        if let (Some(ip), Some(source)) = (
            self.parts.iter_mut().find(|p| layers::is_ip(p.layer)),
            way.and_then(|w| w.source),
        ) {
            ip.put_unset("src", field_values::address_to_wire(source));
        }
        self.fill_carried(uplink);
        self.fill_transport(uplink);
        self.fill_arp(uplink);
        self.fill_crafted(uplink);
        let hop = to.map(|to| way.map_or(to, |w| w.next_hop));
        self.fill_link(uplink, hop)
    }

    /// Sources of datagrams inside others: our own of the family. What an ICMP error quotes is
    /// another's.
    fn fill_carried(&mut self, uplink: &Uplink) {
        let carried = self
            .parts
            .iter_mut()
            .take_while(|p| p.layer.role != crafty_wire::LayerRole::Control)
            .filter(|p| layers::is_ip(p.layer));
        for ip in carried.skip(1) {
            let source = ip.address("dst").and_then(|to| uplink.address_towards(to));
            if let Some(source) = source {
                ip.put_unset("src", field_values::address_to_wire(source));
            }
        }
    }

    /// Identifications of datagrams, and the first of `PORTS` where the program gave no port.
    fn fill_transport(&mut self, uplink: &mut Uplink) {
        let ports = &uplink.outbox.gate.policy().ports;
        for part in &mut self.parts {
            let first = match part.layer.name {
                "TCP" => ports.tcp.first().map(|p| ("src", p)),
                "UDP" => ports.udp.first().map(|p| ("src", p)),
                "ICMP" if part.number("type") == Some(8) => ports.icmp.first().map(|p| ("id", p)),
                "ICMP6" if part.number("type") == Some(128) => {
                    ports.icmp.first().map(|p| ("id", p))
                }
                _ => None,
            };
            if let (true, Some((field, port))) = (part.literal, first) {
                part.put_unset(field, FieldValue::Uint(port.into()));
            }
            if part.layer.name == "IP" && part.get("id").is_none() {
                let id = uplink.identifications.next(part.destination());
                part.put("id", FieldValue::Uint(u64::from(id & 0xffff)));
                part.own_id = true;
            }
        }
    }

    /// Who asks by ARP is this host, unless the program says otherwise.
    fn fill_arp(&mut self, uplink: &Uplink) {
        let Some(arp) = self
            .parts
            .iter_mut()
            .find(|p| p.literal && p.layer.name == "ARP")
        else {
            return;
        };
        arp.put_unset("sha", field_values::mac_to_wire(uplink.own_mac()));
        let target = arp.address("tpa").and_then(|to| uplink.address_towards(to));
        if let Some(own) = target {
            arp.put_unset("spa", field_values::address_to_wire(own));
        }
    }

    /// `auto` outside a block is what this flow's earlier segments make it.
    fn fill_crafted(&mut self, uplink: &Uplink) {
        let waits = self
            .parts
            .iter()
            .position(|p| p.layer.name == "TCP" && !p.autos.is_empty());
        let Some((at, ends)) = waits.and_then(|at| Some((at, self.ends_of(at)?))) else {
            return;
        };
        self.parts[at].fill_autos(&uplink.crafted_flows.live(ends));
    }

    /// Both ends of the segment at a part, own first.
    fn ends_of(&self, at: usize) -> Option<FlowEnds> {
        let (ip, tcp) = (
            self.parts[..at].iter().rfind(|p| layers::is_ip(p.layer))?,
            &self.parts[at],
        );
        let port = |name| tcp.number(name).and_then(|n| u16::try_from(n).ok());
        Some((
            (ip.address("src")?, port("src")?),
            (ip.address("dst")?, port("dst")?),
        ))
    }

    fn fill_link(&mut self, uplink: &Uplink, hop: Option<IpAddr>) -> Option<IpAddr> {
        let bare = self.parts.first().is_none_or(|p| !layers::is_link(p.layer));
        if bare && uplink.link() != LinkLayer::RawIp {
            self.parts
                .insert(0, FrameLayer::of(layers::layer_named("Eth")));
        }
        self.link_bytes = self
            .parts
            .iter()
            .map_while(|p| layers::link_len(p.layer))
            .sum();
        self.label_bytes = self.link_bytes - link_bytes(&self.parts);
        let eth = self.parts.first_mut().filter(|p| p.layer.name == "Eth")?;
        let mac = if uplink.link() == LinkLayer::Loopback {
            Mac::default()
        } else {
            uplink.own_mac()
        };
        eth.put_unset("src", field_values::mac_to_wire(mac));
        let open = eth.get("dst").is_none();
        if open && hop.is_some() {
            eth.put("dst", field_values::mac_to_wire(Mac::default()));
        }
        hop.filter(|_| open && uplink.link() == LinkLayer::Ethernet)
    }

    /// The bytes.
    pub fn encode(&self) -> Vec<u8> {
        let headers: Vec<Header> = self.parts.iter().map(FrameLayer::header).collect();
        let mut octets = Vec::new();
        crafty_wire::encode(&headers, &mut octets);
        octets
    }

    /// The frame, to be changed and sent again.
    pub fn template(&self) -> Template {
        let headers: Vec<Header> = self.parts.iter().map(FrameLayer::header).collect();
        Template::new(&headers)
    }

    /// Where the literal layers begin, of which there are so many: they are the innermost.
    pub fn first_literal(&self, literals: usize) -> usize {
        self.parts.len().saturating_sub(literals)
    }

    /// The identifications that the machine counts: layer, field, and for whom.
    pub fn own_ids(&self) -> Vec<(usize, usize, IpAddr)> {
        let own = self.parts.iter().enumerate().filter(|(_, p)| p.own_id);
        own.filter_map(|(at, p)| Some((at, p.layer.field("id")?.0, p.destination())))
            .collect()
    }

    /// A datagram of a block with these bytes.
    pub fn datagram(pieces: &[BlockLayer], octets: &[u8]) -> FrameBuilder {
        let below = pieces.iter().map(|p| piece_part(p, None));
        FrameBuilder::of(
            below
                .chain([FrameLayer::with(
                    layers::bytes_layer(),
                    vec![(0, FieldValue::Bytes(octets.to_vec()))],
                )])
                .collect(),
        )
    }

    /// Where the bytes of a written `Bytes` at the end lie.
    pub fn bytes_in(&self, octets: &[u8]) -> Option<Range<usize>> {
        let last = self.parts.last().filter(|p| layers::is_bytes(p.layer))?;
        Some(octets.len().checked_sub(last.data_len())?..octets.len())
    }

    /// The TCP segment that the program crafted, if it is one.
    pub fn crafted_segment(&self) -> Option<CraftedSegment> {
        let at = self
            .parts
            .iter()
            .position(|p| p.literal && p.layer.name == "TCP")?;
        let (ends, tcp) = (self.ends_of(at)?, &self.parts[at]);
        let flags = tcp.number("flags").unwrap_or(0);
        let fin = flags & 1 != 0;
        let payload = match self.parts.get(at + 1).and_then(|p| p.fields.first()) {
            Some((_, FieldValue::Bytes(data))) => data.clone(),
            _ => Vec::new(),
        };
        let seq = u32::try_from(tcp.number("seq")?).ok()?;
        let length = u32::try_from(payload.len())
            .ok()?
            .wrapping_add(u32::from(fin))
            .wrapping_add(u32::from(flags & 2 != 0));
        Some(CraftedSegment {
            ends,
            end: seq.wrapping_add(length),
            payload,
            fin,
            reset: flags & 4 != 0,
            advance: tcp.advance,
        })
    }
}

/// Bytes of link headers at the bottom, which no MTU counts.
fn link_bytes(parts: &[FrameLayer]) -> usize {
    parts
        .iter()
        .take_while(|p| layers::is_link(p.layer))
        .map(|p| p.layer.fixed_len)
        .sum()
}
