//! A capture as conversations: who said what to whom, and when. Reads everything into memory, so
//! has a limit; decides nothing about which side is a program's.

mod ends;
mod error;
mod flow;
mod segment;
mod view;

pub use ends::{EndpointAddress, Ends, Proto, ends};
pub use error::RecordingError;
pub use flow::{Flow, Step};
pub use segment::{Progress, options, segment, stamps};
pub use view::RecordedPacketView;

use crafty_capture::{CaptureError, CaptureReader, Direction, Record};
use crafty_value::Time;
use crafty_wire::{Decoded, Layer, decode, layer, link};
use std::fs::File;
use std::io::{BufReader, Read};

/// Bytes that a recording may have; of a longer one a part has to be cut out.
pub const MAX_BYTES: usize = 256 << 20;
/// Packets that a recording may have.
pub const MAX_PACKETS: usize = 1_000_000;

/// A packet that was recorded.
#[derive(Clone, Debug)]
pub struct RecordedFrame {
    /// Number in the file, from 1.
    pub index: usize,
    /// When; of a file without time stamps all are at the same time.
    pub time: Time,
    /// From the layer on that [`Recording::first`] tells.
    pub octets: Vec<u8>,
    /// Bytes on the wire.
    pub wire_len: usize,
    /// Which way, if the file says so.
    pub direction: Option<Direction>,
    /// Number of its interface in the file.
    pub interface: usize,
}

/// Packets and the conversations that they belong to.
#[derive(Debug, Default)]
pub struct Recording {
    /// Packets by ascending time.
    pub frames: Vec<RecordedFrame>,
    /// Conversations in the order of their first packet.
    pub flows: Vec<Flow>,
    /// Whether packets begin with an Ethernet header; else with that of IP.
    pub ethernet: bool,
    /// What ended the reading, if the file is damaged.
    pub damage: Option<String>,
}

impl Recording {
    /// Reads a capture. Of packets with other link headers than Ethernet only the IP datagram is
    /// kept.
    ///
    /// # Errors
    /// When it is not a capture, or longer than the limits.
    pub fn read(from: impl Read) -> Result<Recording, RecordingError> {
        let mut reader = CaptureReader::new(from).map_err(RecordingError::Capture)?;
        let (mut records, mut octets) = (Vec::new(), 0);
        let damage = loop {
            match reader.record() {
                Ok(Some(record)) => {
                    octets += record.octets.len();
                    if octets > MAX_BYTES || records.len() == MAX_PACKETS {
                        return Err(RecordingError::TooLarge);
                    }
                    records.push(record);
                }
                Ok(None) => break None,
                Err(error @ CaptureError::Io(_)) => return Err(RecordingError::Capture(error)),
                Err(damage) => break Some(damage.to_string()),
            }
        };
        Ok(Recording::of(records, damage))
    }

    /// Reads a capture file.
    ///
    /// # Errors
    /// When it cannot be read, is not a capture, or longer than the limits.
    pub fn open(path: &str) -> Result<Recording, RecordingError> {
        let file = File::open(path).map_err(RecordingError::Unreadable)?;
        Recording::read(BufReader::new(file))
    }

    fn of(records: Vec<Record>, damage: Option<String>) -> Recording {
        let ethernet = records.iter().all(|record| record.link == 1);
        let mut frames: Vec<RecordedFrame> = records
            .into_iter()
            .enumerate()
            .filter_map(|(i, record)| frame(i + 1, record, ethernet))
            .collect();
        // Files may hold a frame before others that were earlier on the wire.
        frames.sort_by_key(|frame| frame.time);
        let mut recording = Recording {
            frames,
            flows: Vec::new(),
            ethernet,
            damage,
        };
        recording.flows = flow::flows(&recording);
        recording
    }

    /// The outermost layer of all packets of this recording.
    pub fn first(&self, octets: &[u8]) -> Option<&'static Layer> {
        first(self.ethernet, octets)
    }

    /// A packet's layers.
    pub fn view<'a>(&self, octets: &'a [u8], wire_len: usize) -> Option<RecordedPacketView<'a>> {
        let mut decoded = Decoded::new();
        decode(self.first(octets)?, octets, wire_len, &mut decoded);
        Some(RecordedPacketView { octets, decoded })
    }

    /// A recorded packet's layers.
    pub fn view_of(&self, frame: usize) -> Option<RecordedPacketView<'_>> {
        let frame = self.frames.get(frame)?;
        self.view(&frame.octets, frame.wire_len)
    }
}

fn first(ethernet: bool, octets: &[u8]) -> Option<&'static Layer> {
    match octets.first().map(|octet| octet >> 4) {
        _ if ethernet => layer("Eth"),
        Some(6) => layer("IP6"),
        _ => layer("IP"),
    }
}

/// None for what has no IP datagram, where only those are kept.
fn frame(index: usize, record: Record, ethernet: bool) -> Option<RecordedFrame> {
    let Record {
        mut octets,
        mut wire_len,
        time,
        direction,
        interface,
        link: kind,
        ..
    } = record;
    if !ethernet {
        let mut decoded = Decoded::new();
        decode(
            link(u32::from(kind), &octets),
            &octets,
            wire_len,
            &mut decoded,
        );
        let start = decoded
            .layers
            .iter()
            .find(|found| matches!(found.layer.name, "IP" | "IP6"))?
            .start;
        octets.drain(..start);
        wire_len = wire_len.saturating_sub(start);
    }
    Some(RecordedFrame {
        index,
        time: time.unwrap_or_default(),
        octets,
        wire_len,
        direction,
        interface,
    })
}
