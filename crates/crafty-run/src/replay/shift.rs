//! A recorded frame as it would have come to this program: its ports, its identifiers, its sequence
//! numbers. Checksums are corrected; a wrong one stays wrong.

use super::talk::{ReplayConversation, Theirs};
use crate::recording::{
    Ends, Proto, RecordedFrame, RecordedPacketView, Recording, options, stamps,
};
use crafty_wire::{ChecksumStatus, Decoded, checksum, patch};
use std::net::IpAddr;

/// The frame as the program is to see it.
pub fn shifted(
    recording: &Recording,
    frame: &RecordedFrame,
    theirs: &Theirs,
    talk: &ReplayConversation,
) -> Vec<u8> {
    let Theirs { ends, .. } = theirs;
    let Some(view) = recording.view(&frame.octets, frame.wire_len) else {
        return frame.octets.clone();
    };
    let mut edit = Edit {
        octets: frame.octets.clone(),
        decoded: view.decoded.clone(),
    };
    if talk.proto == Proto::Tcp {
        in_connection(recording, frame, &view, ends, talk, &mut edit);
    }
    if talk.proto == Proto::Udp && !ends.quoted {
        let id = view
            .number(ends.layer + 1, "id")
            .filter(|_| view.name(ends.layer + 1) == "DNS");
        if let Some((_, sent)) = talk
            .questions
            .iter()
            .rev()
            .find(|(recorded, _)| Some(*recorded) == id)
        {
            edit.set(ends.layer + 1, "id", *sent);
        }
    }
    if talk.end().1 != talk.own.1 {
        let field = match talk.proto {
            Proto::Echo => "id",
            _ if ends.quoted => "src",
            _ => "dst",
        };
        edit.set(ends.layer, field, talk.end().1.into());
    }
    edit.octets
}

fn in_connection(
    recording: &Recording,
    frame: &RecordedFrame,
    view: &RecordedPacketView,
    ends: &Ends,
    talk: &ReplayConversation,
    edit: &mut Edit,
) {
    let shift = talk
        .sent
        .isn
        .unwrap_or(0)
        .wrapping_sub(talk.recorded.isn.unwrap_or(0));
    let shift = if talk.sent.isn.is_some() && talk.recorded.isn.is_some() {
        shift
    } else {
        0
    };
    let moved = |n: u64| u64::from((n as u32).wrapping_add(shift));
    if ends.quoted {
        if let Some(seq) = view.number(ends.layer, "seq") {
            edit.set(ends.layer, "seq", moved(seq));
        }
        return;
    }
    let good = view.checksum(ends.layer) == Some(ChecksumStatus::Good);
    for (at, octets) in echoes(view, ends.layer, shift, talk.sent.stamp) {
        edit.octets[at..at + 4].copy_from_slice(&octets);
    }
    let now = recording
        .view(&edit.octets, frame.wire_len)
        .and_then(|view| view.checksum(ends.layer));
    if let (true, Some(ChecksumStatus::Bad { expected })) = (good, now) {
        edit.set(ends.layer, "checksum", expected);
    }
    if let Some(ack) = view
        .number(ends.layer, "ack")
        .filter(|_| view.has(ends.layer, "flags", "ack"))
    {
        edit.set(ends.layer, "ack", moved(ack));
    }
}

/// What options say of our own numbers, as it has to be: blocks of SACK, and the echo of our time
/// stamp.
fn echoes(
    view: &RecordedPacketView,
    layer: usize,
    shift: u32,
    stamp: Option<u32>,
) -> Vec<(usize, [u8; 4])> {
    let mut changes = Vec::new();
    for (at, blocks) in options(view, layer, "sack") {
        let words = blocks.as_chunks::<4>().0.iter().enumerate();
        changes.extend(words.map(|(i, word)| {
            (
                at + 4 * i,
                u32::from_be_bytes(*word).wrapping_add(shift).to_be_bytes(),
            )
        }));
    }
    let echo = stamps(view, layer).filter(|(_, _, echo)| *echo != 0);
    changes.extend(
        echo.zip(stamp)
            .map(|((at, ..), stamp)| (at + 4, stamp.to_be_bytes())),
    );
    changes
}

/// Whether the sender's adapter was still to compute the checksum of a segment or datagram: only
/// the sum over the pseudo-header is there.
pub fn is_partial(view: &RecordedPacketView, ends: &Ends) -> bool {
    let number = match ends.proto {
        Proto::Tcp => 6,
        Proto::Udp => 17,
        _ => return false,
    };
    let length = view
        .decoded
        .layers
        .get(ends.layer)
        .map_or(0, |found| found.end - found.start) as u32;
    let octets = |address: IpAddr| match address {
        IpAddr::V4(a) => a.octets().to_vec(),
        IpAddr::V6(a) => a.octets().to_vec(),
    };
    let pseudo = [
        octets(ends.src.0),
        octets(ends.dst.0),
        length.to_be_bytes().to_vec(),
        vec![0, number],
    ]
    .concat();
    let wrong = matches!(view.checksum(ends.layer), Some(ChecksumStatus::Bad { .. }));
    wrong && view.number(ends.layer, "checksum") == Some(u64::from(!checksum(&pseudo)))
}

/// A frame being changed. Layers stay where they are.
struct Edit {
    octets: Vec<u8>,
    decoded: Decoded,
}

impl Edit {
    /// Sets a number; nothing happens where there is no such field.
    fn set(&mut self, layer: usize, field: &str, value: u64) {
        let row = self
            .decoded
            .layers
            .get(layer)
            .and_then(|found| found.layer.field(field));
        if let Some((index, _)) = row {
            let _ = patch(&mut self.octets, &self.decoded, layer, index, value);
        }
    }
}
