//! When a frame was on the wire, and how we know: matches captured copies of our own frames to their sends.
//! Asks no clock and opens nothing.

use crafty_value::Time;
use std::collections::VecDeque;

/// Where a time stamp comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The network card.
    Hardware,
    /// The driver, as it hands the frame to the card.
    Software,
    /// The copy that a second capture socket saw.
    Recapture,
    /// The clock, read by the program around the send.
    Clock,
}

impl Source {
    /// Its name in the language (`ts_source`).
    pub fn name(self) -> &'static str {
        match self {
            Source::Hardware => "hardware",
            Source::Software => "software",
            Source::Recapture => "recapture",
            Source::Clock => "clock",
        }
    }
}

/// A time on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Nanoseconds on the clock of the captures.
    pub time: Time,
    /// How it was taken.
    pub source: Source,
}

/// Sends that wait for their captured copy.
///
/// A copy is known by its octets: all of them that a capture keeps, and the length on the wire. Equal frames are
/// matched in the order of their sends. A frame of other programs matches nothing; one whose checksum is still to be
/// computed cannot be ours, since what we send is complete, and so needs no case of its own.
pub struct StampMatcher {
    snap: usize,
    most: usize,
    waiting: VecDeque<Waiting>,
    overflowed: u64,
}

struct Waiting {
    send: u64,
    print: u64,
    wire_len: usize,
}

/// How far from the oldest send a copy is looked for. A queue that reorders more than this loses stamps, not packets.
const WINDOW: usize = 8192;

impl StampMatcher {
    /// For captures that keep `snap` octets of a frame; at most `most` sends wait, older ones are given up.
    pub fn new(snap: usize, most: usize) -> StampMatcher {
        StampMatcher { snap, most: most.max(1), waiting: VecDeque::new(), overflowed: 0 }
    }

    /// Notes a frame that is about to be sent.
    pub fn register(&mut self, send: u64, frame: &[u8]) {
        if self.waiting.len() >= self.most {
            self.waiting.pop_front();
            self.overflowed += 1;
        }
        let kept = &frame[..frame.len().min(self.snap)];
        self.waiting.push_back(Waiting { send, print: fingerprint(kept), wire_len: frame.len() });
    }

    /// The send whose copy this is. `frame` is what was captured, VLAN tags restored, `wire_len` its length on the wire.
    pub fn captured(&mut self, frame: &[u8], wire_len: usize, time: Time) -> Option<(u64, Stamp)> {
        let print = fingerprint(frame);
        let same = |w: &Waiting| w.print == print && w.wire_len == wire_len;
        let at = self.waiting.iter().take(WINDOW).position(same)?;
        let found = self.waiting.remove(at)?;
        Some((found.send, Stamp { time, source: Source::Recapture }))
    }

    /// Gives a send up: it failed, or its stamp is wanted no longer.
    pub fn forget(&mut self, send: u64) {
        if let Some(at) = self.waiting.iter().rposition(|w| w.send == send) {
            self.waiting.remove(at);
        }
    }

    /// Sends that still wait.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Sends given up because too many waited.
    pub fn overflowed(&self) -> u64 {
        self.overflowed
    }
}

/// 64 bits that differ when the octets do. Not secret: who could forge a collision could send the frame itself.
fn fingerprint(octets: &[u8]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |state: u64, word: u64| (state ^ word).wrapping_mul(ODD).rotate_left(29);
    let (words, rest) = octets.as_chunks::<8>();
    let state = words.iter().fold(octets.len() as u64, |s, w| mix(s, u64::from_le_bytes(*w)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let state = mix(state, u64::from_le_bytes(last));
    state ^ state >> 32
}
