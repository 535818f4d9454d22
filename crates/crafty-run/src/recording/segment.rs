//! How far a side of a TCP connection has come: places in its stream, whatever its sequence numbers
//! are.

use super::RecordedPacketView;
use crafty_wire::protocols::tcp::{FIN_FLAG, RST_FLAG, SYN_FLAG, TcpSegment};

/// The segment at a layer; none if it is a reset.
pub fn segment<'a>(view: &RecordedPacketView<'a>, layer: usize) -> Option<TcpSegment<'a>> {
    TcpSegment::at(view.packet(), layer).filter(|segment| !segment.has(RST_FLAG))
}

/// Place of the time stamp option's value in the packet, its value and its echo (RFC 7323).
pub fn stamps(view: &RecordedPacketView, layer: usize) -> Option<(usize, u32, u32)> {
    let stamps = TcpSegment::at(view.packet(), layer)?.options().timestamps?;
    Some((stamps.at, stamps.value, stamps.echo))
}

/// Values of the options of a segment that have this name in the layer's table, each with its place
/// in the packet.
pub fn options<'a>(
    view: &RecordedPacketView<'a>,
    layer: usize,
    name: &'static str,
) -> impl Iterator<Item = (usize, &'a [u8])> + use<'a> {
    let segment = TcpSegment::at(view.packet(), layer);
    segment
        .into_iter()
        .flat_map(move |segment| segment.options_named(name))
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
    pub fn note(&mut self, segment: &TcpSegment) -> u64 {
        let syn = segment.has(SYN_FLAG);
        let isn = *self.isn.get_or_insert(if syn {
            segment.seq
        } else {
            segment.seq.wrapping_sub(1)
        });
        let end = isn.wrapping_add(self.end as u32);
        let ahead = i64::from(segment.seq.wrapping_sub(end).cast_signed());
        let start = self.end.saturating_add_signed(ahead) + u64::from(syn);
        let last = start + segment.len() + u64::from(segment.has(FIN_FLAG));
        self.end = self.end.max(last);
        let stamp = segment.options().timestamps.map(|stamps| stamps.value);
        self.stamp = stamp.or(self.stamp);
        start
    }
}
