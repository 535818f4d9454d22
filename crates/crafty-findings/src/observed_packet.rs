//! A packet, read once for all rules. What is quoted in an error is not taken for a packet that
//! passed.

use crate::Direction;
use crate::address_claims::Rival;
use crate::flow::{Endpoint, Key};
use crate::packet_meaning::Trace;
use crafty_value::Time;
use crafty_wire::{Decoded, FieldValue, Found, Layer, OptionValue, Partial};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Control bits of TCP (RFC 9293 §3.1).
pub mod bits {
    /// No more data.
    pub const FIN: u64 = 1;
    /// Opening.
    pub const SYN: u64 = 2;
    /// Reset.
    pub const RST: u64 = 4;
    /// The acknowledgement counts.
    pub const ACK: u64 = 16;
    /// Congestion was marked (RFC 3168).
    pub const ECE: u64 = 64;
}

/// The innermost network header that is not quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
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
    /// Offset of the fragment in bytes, and whether more follow; `None` for a whole datagram.
    pub fragment: Option<(u64, bool)>,
}

/// A TCP header with the length of what it carries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgement number.
    pub ack: u32,
    /// Control bits, `fin` being 1.
    pub flags: u64,
    /// Window, before scaling.
    pub window: u32,
    /// Bytes of data on the wire.
    pub len: u32,
    /// Maximum segment size.
    pub mss: Option<u16>,
    /// Window scale.
    pub wscale: Option<u8>,
    /// Selective acknowledgement permitted.
    pub sack_ok: bool,
    /// Time stamp and echo.
    pub ts: Option<(u32, u32)>,
    /// Blocks held.
    pub sacks: Vec<(u32, u32)>,
}

impl Segment {
    /// Whether one of these control bits is set.
    pub fn has(&self, bits: u64) -> bool {
        self.flags & bits != 0
    }

    /// Sequence numbers that it takes.
    pub fn span(&self) -> i64 {
        i64::from(self.len) + i64::from(self.has(bits::SYN)) + i64::from(self.has(bits::FIN))
    }
}

/// A packet with what a rule may ask of it.
#[derive(Debug)]
pub struct Seen<'a> {
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
    pub network: Option<Network>,
    /// Its TCP header, where it is whole.
    pub tcp: Option<Segment>,
    /// What it means in its flow: set once the flow took it.
    pub trace: Trace,
    /// Whom it contradicts about an address of the link.
    pub rival: Option<Rival>,
    /// The side of the flow that sent it.
    pub side: usize,
    pub(crate) key: Option<Key>,
}

impl<'a> Seen<'a> {
    pub(crate) fn new(
        index: u64,
        time: Option<Time>,
        octets: &'a [u8],
        decoded: &'a Decoded,
        direction: Option<Direction>,
    ) -> Seen<'a> {
        let trace = Trace::default();
        let mut seen = Seen {
            index,
            time,
            octets,
            decoded,
            direction,
            network: None,
            tcp: None,
            trace,
            rival: None,
            side: 0,
            key: None,
        };
        let network = decoded
            .layers
            .iter()
            .rposition(|it| it.partial != Partial::Quoted && matches!(it.layer.name, "IP" | "IP6"));
        seen.network = network.and_then(|layer| seen.network_at(layer));
        let Some(network) = seen.network else {
            return seen;
        };
        let transport = (network.layer + 1..decoded.layers.len())
            .find(|i| matches!(decoded.layers[*i].layer.name, "TCP" | "UDP"));
        if let Some(layer) = transport.filter(|i| {
            matches!(
                decoded.layers[*i].partial,
                Partial::Whole | Partial::Snapped
            )
        }) {
            seen.tcp = if decoded.layers[layer].layer.name == "TCP" {
                seen.segment(layer, &network)
            } else {
                None
            };
            seen.key = seen.key_at(layer, &network);
        }
        seen.side = seen
            .key
            .map_or(0, |key| key.side(network.src, seen.port(transport, "src")));
        seen
    }

    /// The number in the field called `name` of the layer at this position.
    pub fn uint(&self, layer: usize, name: &str) -> Option<u64> {
        let (field, _) = self.decoded.layers.get(layer)?.layer.field(name)?;
        self.decoded.read_uint(self.octets, layer, field)
    }

    /// The first layer that is there whole or cut, but not quoted, with this name.
    pub fn layer(&self, name: &str) -> Option<(usize, &Found)> {
        self.decoded
            .layers
            .iter()
            .enumerate()
            .find(|(_, it)| it.layer.name == name && it.partial != Partial::Quoted)
    }

    /// The address in the field `name` of the layer at this position.
    pub fn address(&self, layer: usize, name: &str) -> Option<IpAddr> {
        let table: &Layer = self.decoded.layers.get(layer)?.layer;
        match self
            .decoded
            .read(self.octets, layer, table.field(name)?.0)?
        {
            FieldValue::Uint(n) => Some(Ipv4Addr::from_bits(u32::try_from(n).ok()?).into()),
            FieldValue::Wide(n) => Some(Ipv6Addr::from_bits(n).into()),
            _ => None,
        }
    }

    fn network_at(&self, layer: usize) -> Option<Network> {
        let four = self.decoded.layers[layer].layer.name == "IP";
        let start = self.decoded.layers[layer].start;
        let said = self.uint(layer, "len")? as usize;
        let end = match (said, four) {
            (0, _) => self.decoded.wire_len,
            (_, true) => start + said,
            (_, false) => start + 40 + said,
        };
        Some(Network {
            layer,
            src: self.address(layer, "src")?,
            dst: self.address(layer, "dst")?,
            ttl: self.uint(layer, "ttl")? as u8,
            dscp: self.uint(layer, "dscp")? as u8,
            ecn: self.uint(layer, "ecn")? as u8,
            id: if four {
                self.uint(layer, "id").map(|id| id as u16)
            } else {
                None
            },
            end: end.min(self.decoded.wire_len),
            fragment: self.fragment_at(layer, four),
        })
    }

    fn fragment_at(&self, layer: usize, four: bool) -> Option<(u64, bool)> {
        let (offset, more) = if four {
            (
                self.uint(layer, "frag")?,
                self.uint(layer, "flags")? & 4 != 0,
            )
        } else {
            let (at, _) = self.layer("Fragment").filter(|(at, _)| *at > layer)?;
            (self.uint(at, "frag")?, self.uint(at, "more")? != 0)
        };
        (offset != 0 || more).then_some((offset * 8, more))
    }

    fn port(&self, layer: Option<usize>, name: &str) -> u16 {
        layer.and_then(|layer| self.uint(layer, name)).unwrap_or(0) as u16
    }

    fn key_at(&self, layer: usize, network: &Network) -> Option<Key> {
        let end = |address, name| {
            Some(Endpoint {
                address,
                port: u16::try_from(self.uint(layer, name)?).ok()?,
            })
        };
        Some(Key::new(
            self.decoded.layers[layer].layer.name,
            end(network.src, "src")?,
            end(network.dst, "dst")?,
        ))
    }

    fn segment(&self, layer: usize, network: &Network) -> Option<Segment> {
        let uint = |name| self.uint(layer, name);
        let mut segment = Segment {
            seq: uint("seq")? as u32,
            ack: uint("ack")? as u32,
            flags: uint("flags")?,
            window: uint("window")? as u32,
            len: network
                .end
                .saturating_sub(self.decoded.layers[layer].payload) as u32,
            ..Segment::default()
        };
        let (options, _) = self.decoded.layers[layer].layer.field("options")?;
        if let Some(FieldValue::Options(list)) = self.decoded.read(self.octets, layer, options) {
            list.iter().for_each(|option| segment.take_option(option));
        }
        Some(segment)
    }
}

impl Segment {
    fn take_option(&mut self, option: &OptionValue) {
        let OptionValue::Named { option, values } = option else {
            return;
        };
        let numbers: Vec<u32> = values
            .iter()
            .filter_map(|value| value.as_uint().map(|n| n as u32))
            .collect();
        match (option.name, &numbers[..]) {
            ("mss", [size]) => self.mss = u16::try_from(*size).ok(),
            ("wscale", [shift]) => self.wscale = Some((*shift).min(14) as u8),
            ("sack_ok", _) => self.sack_ok = true,
            ("ts", [val, ecr]) => self.ts = Some((*val, *ecr)),
            ("sack", edges) => {
                self.sacks = edges
                    .chunks_exact(2)
                    .map(|pair| (pair[0], pair[1]))
                    .collect()
            }
            _ => {}
        }
    }
}
