//! What following needs of a TCP segment, read by the tables.

use crafty_wire::protocols::tcp;
use crafty_wire::{Decoded, Found, Layer, Partial};

/// An address of either family, and a port.
pub(crate) type End = (u128, u16);

/// A segment that carries something, or opens or closes a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment<'a> {
    /// Position of its layer.
    pub layer: usize,
    pub source: End,
    pub destination: End,
    pub seq: u32,
    pub ack: Option<u32>,
    pub syn: bool,
    pub fin: bool,
    pub rst: bool,
    pub data: &'a [u8],
    /// Bytes behind the data that were on the wire and not captured.
    pub cut: u64,
}

impl<'a> Segment<'a> {
    /// The innermost segment that is no quotation; none where it is a fragment or its header is
    /// cut.
    pub fn of(octets: &'a [u8], decoded: &Decoded) -> Option<Segment<'a>> {
        let here = |found: &Found| {
            *found.layer == tcp::LAYER && matches!(found.partial, Partial::Whole | Partial::Snapped)
        };
        let layer = decoded.layers.iter().rposition(here)?;
        let found = &decoded.layers[layer];
        let network = decoded.layers[..layer]
            .iter()
            .rposition(|below| !below.layer.pseudo.is_empty())?;
        let header = found.header(octets)?;
        let data = found.carried(octets)?;
        let flags = tcp::FLAGS.get(header)?;
        let has = |bit: &str| flags & tcp::LAYER.bit("flags", bit) != 0;
        let port = |slot: crafty_wire::Slot| slot.get(header).map(|port| port as u16);
        let end = |name: &str, port| Some((address(octets, decoded, network, name)?, port));
        Some(Segment {
            layer,
            source: end("src", port(tcp::SRC)?)?,
            destination: end("dst", port(tcp::DST)?)?,
            seq: tcp::SEQ.get(header)? as u32,
            ack: tcp::ACK
                .get(header)
                .map(|ack| ack as u32)
                .filter(|_| has("ack")),
            syn: has("syn"),
            fin: has("fin"),
            rst: has("rst"),
            data,
            cut: cut(octets, decoded, network, found),
        })
    }

    /// Sequence number of the first byte of data.
    pub fn first(&self) -> u32 {
        self.seq.wrapping_add(u32::from(self.syn))
    }
}

pub(crate) fn address(
    octets: &[u8],
    decoded: &Decoded,
    network: usize,
    name: &str,
) -> Option<u128> {
    let layer: &Layer = decoded.layers[network].layer;
    match decoded.read(octets, network, layer.field(name)?.0)? {
        crafty_wire::FieldValue::Uint(four) => Some(u128::from(four) | 0xffff << 32),
        crafty_wire::FieldValue::Wide(six) => Some(six),
        _ => None,
    }
}

/// Bytes of the segment that its network header promises and the capture lacks.
fn cut(octets: &[u8], decoded: &Decoded, network: usize, tcp: &Found) -> u64 {
    if tcp.partial != Partial::Snapped {
        return 0;
    }
    let below = &decoded.layers[network];
    let said = below
        .layer
        .field("len")
        .and_then(|(at, _)| decoded.read_uint(octets, network, at))
        .unwrap_or(0) as usize;
    let start = if below.layer.name == "IP" {
        below.start
    } else {
        below.payload
    };
    start
        .saturating_add(said)
        .min(decoded.wire_len)
        .saturating_sub(tcp.trailer.max(tcp.payload)) as u64
}
