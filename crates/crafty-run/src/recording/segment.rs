//! How far a side of a TCP connection has come: places in its stream, whatever its sequence numbers
//! are.

use super::View;
use crafty_wire::{Kind, Options};

/// A segment.
pub struct Segment<'a> {
    /// Its sequence number.
    pub seq: u32,
    /// Whether it opens.
    pub syn: bool,
    /// Whether it ends the stream.
    pub fin: bool,
    /// Its data, as far as it is there.
    pub data: &'a [u8],
    /// Bytes of data that it had on the wire.
    pub len: u64,
    /// Value of its time stamp option.
    pub stamp: Option<u32>,
}

impl<'a> Segment<'a> {
    /// The segment at a layer; none if it is a reset.
    pub fn read(view: &View<'a>, layer: usize) -> Option<Segment<'a>> {
        let data = view.carried(layer);
        let cut = view.decoded.wire_len.saturating_sub(view.octets.len());
        let flag = |name| view.has(layer, "flags", name);
        let (stamp, _) = stamps(view, layer)
            .map(|(_, value, echo)| (Some(value), Some(echo)))
            .unwrap_or_default();
        let segment = Segment {
            seq: view.number(layer, "seq")? as u32,
            syn: flag("syn"),
            fin: flag("fin"),
            data,
            len: data.len() as u64 + cut as u64,
            stamp,
        };
        (!flag("rst")).then_some(segment)
    }
}

/// Place of the time stamp option's value in the packet, its value and its echo (RFC 7323).
pub fn stamps(view: &View, layer: usize) -> Option<(usize, u32, u32)> {
    options(view, layer, "ts").find_map(|(at, value)| match value.as_chunks::<4>() {
        ([stamp, echo], []) => Some((at, u32::from_be_bytes(*stamp), u32::from_be_bytes(*echo))),
        _ => None,
    })
}

/// Values of the options of a segment that have this name in the layer's table, each with its place
/// in the packet.
pub fn options<'a>(
    view: &View<'a>,
    layer: usize,
    name: &'static str,
) -> impl Iterator<Item = (usize, &'a [u8])> + use<'a> {
    let row = view
        .decoded
        .layers
        .get(layer)
        .and_then(|found| found.layer.field("options"));
    let list =
        row.zip(view.span(layer, "options"))
            .and_then(|((_, field), (at, list))| match field.kind {
                Kind::Options(tlv) => Some(Options::new(tlv, list).map(move |option| (at, option))),
                _ => None,
            });
    let named = list
        .into_iter()
        .flatten()
        .filter(move |(_, option)| option.row.is_some_and(|row| row.name == name));
    named.map(|(at, option)| (at + option.at + option.head, option.value))
}

/// A side's stream so far. Its SYN is at 0, its data from 1 on; a FIN takes one place too.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Sequence number of place 0, once known.
    pub isn: Option<u32>,
    /// The first place that has not been sent.
    pub end: u64,
    /// The latest time stamp.
    pub stamp: Option<u32>,
}

impl Progress {
    /// Notes a segment; gives the place of its first byte of data.
    pub fn note(&mut self, segment: &Segment) -> u64 {
        let isn = *self.isn.get_or_insert(if segment.syn {
            segment.seq
        } else {
            segment.seq.wrapping_sub(1)
        });
        let end = isn.wrapping_add(self.end as u32);
        let ahead = i64::from(segment.seq.wrapping_sub(end).cast_signed());
        let start = self.end.saturating_add_signed(ahead) + u64::from(segment.syn);
        self.end = self.end.max(start + segment.len + u64::from(segment.fin));
        self.stamp = segment.stamp.or(self.stamp);
        start
    }
}
