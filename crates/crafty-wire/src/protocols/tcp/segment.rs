//! A TCP segment as it lies in a decoded packet: the one reader for everybody who follows
//! connections in captures.

use alloc::vec::Vec;
use core::net::SocketAddr;

use super::{ACK_FLAG, FIN_FLAG, FLAGS, LAYER, OPTIONS, SYN_FLAG, WINDOW};
use crate::codec::{OptionIterator, Unverifiable};
use crate::packet_view::PacketView;

/// A segment that passed.
#[derive(Clone, Copy, Debug)]
pub struct TcpSegment<'bytes> {
    /// Position of its layer in the packet.
    pub layer: usize,
    /// Who sent it.
    pub source: SocketAddr,
    /// To whom.
    pub destination: SocketAddr,
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgement number; it counts where [`ACK_FLAG`] is set.
    pub ack: u32,
    /// Control bits.
    pub flags: u64,
    /// Window, before scaling.
    pub window: u16,
    /// The data that were captured.
    pub data: &'bytes [u8],
    /// Bytes of data behind them that were on the wire, and are not in the capture.
    pub missing: u64,
    /// Place of the options in the packet, and their bytes.
    options: (usize, &'bytes [u8]),
}

/// The options of a segment that tell how a connection works. Of an option that comes again the
/// last one counts; one of another length than its own is passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TcpOptions {
    /// Maximum segment size.
    pub mss: Option<u16>,
    /// Window scale, at most 14 (RFC 7323 §2.3).
    pub wscale: Option<u8>,
    /// Whether selective acknowledgements are permitted.
    pub sack_ok: bool,
    /// Time stamps.
    pub timestamps: Option<Timestamps>,
    /// Blocks that the receiver holds: the first byte of each, and the first behind it.
    pub sacks: Vec<(u32, u32)>,
}

/// The time stamps option (RFC 7323 §3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamps {
    /// Clock of the sender.
    pub value: u32,
    /// Clock of the peer, echoed.
    pub echo: u32,
    /// Place of `value` in the packet.
    pub at: usize,
}

impl<'bytes> TcpSegment<'bytes> {
    /// The innermost segment of the packet itself; none where it is in a fragment, in a packet that
    /// an error quotes, or its header is cut off.
    pub fn innermost(view: PacketView<'bytes, '_>) -> Option<TcpSegment<'bytes>> {
        let layer = view
            .layers()
            .iter()
            .rposition(|found| *found.layer == LAYER && found.partial.is_unfragmented())?;
        TcpSegment::at(view, layer)
    }

    /// The segment whose header is the layer at a position.
    pub fn at(view: PacketView<'bytes, '_>, layer: usize) -> Option<TcpSegment<'bytes>> {
        let found = view.layers().get(layer).filter(|it| *it.layer == LAYER)?;
        let header = found.header(view.bytes)?;
        let (source, destination) = view.endpoints(layer)?;
        let end = match found.partial {
            Unverifiable::Snapped => view.datagram_end(view.network_below(layer)?)?,
            _ => 0,
        };
        Some(TcpSegment {
            layer,
            source,
            destination,
            seq: super::SEQ.get(header)? as u32,
            ack: super::ACK.get(header)? as u32,
            flags: FLAGS.get(header)?,
            window: WINDOW.get(header)? as u16,
            data: found.carried(view.bytes)?,
            missing: end.saturating_sub(found.trailer.max(found.payload)) as u64,
            options: (
                found.start + LAYER.fixed_len,
                header.get(LAYER.fixed_len..).unwrap_or(&[]),
            ),
        })
    }

    /// Whether one of these control bits is set.
    pub fn has(&self, flags: u64) -> bool {
        self.flags & flags != 0
    }

    /// The acknowledgement number, if it counts.
    pub fn acknowledged(&self) -> Option<u32> {
        self.has(ACK_FLAG).then_some(self.ack)
    }

    /// Sequence number of the first byte of data.
    pub fn first_byte(&self) -> u32 {
        self.seq.wrapping_add(u32::from(self.has(SYN_FLAG)))
    }

    /// Bytes of data on the wire.
    pub fn len(&self) -> u64 {
        self.data.len() as u64 + self.missing
    }

    /// Whether it carries no data.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sequence numbers that it takes: its data, SYN and FIN (RFC 9293 §3.4).
    pub fn span(&self) -> u64 {
        self.len() + u64::from(self.has(SYN_FLAG)) + u64::from(self.has(FIN_FLAG))
    }

    /// The values of its options called `name` in the table, each with its place in the packet.
    pub fn options_named(
        &self,
        name: &'static str,
    ) -> impl Iterator<Item = (usize, &'bytes [u8])> + use<'bytes> {
        let (start, list) = self.options;
        OptionIterator::new(&OPTIONS, list)
            .filter(move |option| option.row.is_some_and(|row| row.name == name))
            .map(move |option| (start + option.at + option.head, option.value))
    }

    /// Its options, read.
    pub fn options(&self) -> TcpOptions {
        let mut read = TcpOptions::default();
        let (start, list) = self.options;
        for option in OptionIterator::new(&OPTIONS, list) {
            if let Some(row) = option.row {
                read.take(row.name, option.value, start + option.at + option.head);
            }
        }
        read
    }
}

impl TcpOptions {
    fn take(&mut self, name: &str, value: &[u8], at: usize) {
        match (name, value) {
            ("mss", [high, low]) => self.mss = Some(u16::from_be_bytes([*high, *low])),
            ("wscale", [shift]) => self.wscale = Some((*shift).min(14)),
            ("sack_ok", []) => self.sack_ok = true,
            ("ts", _) => {
                if let ([value, echo], []) = value.as_chunks::<4>() {
                    self.timestamps = Some(Timestamps {
                        value: u32::from_be_bytes(*value),
                        echo: u32::from_be_bytes(*echo),
                        at,
                    });
                }
            }
            ("sack", _) => {
                let (edges, _) = value.as_chunks::<4>();
                let edges = edges.as_chunks::<2>().0.iter();
                self.sacks = edges
                    .map(|[left, right]| (u32::from_be_bytes(*left), u32::from_be_bytes(*right)))
                    .collect();
            }
            _ => {}
        }
    }
}
