//! When a frame was on the wire, and how we know: matches captured copies of our own frames to
//! their sends. Asks no clock and opens nothing.

use crafty_value::Time;
use std::collections::VecDeque;

/// Where a time stamp comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WireTimeSource {
    /// The network card, if its clock is the system's. Not asked for here: it seldom is.
    Hardware,
    /// The driver, as it hands the frame to the card.
    Software,
    /// The copy that a second capture socket saw.
    Recapture,
    /// The clock, read by the program around the send.
    Clock,
}

impl WireTimeSource {
    /// Its name in the language (`ts_source`).
    pub fn name(self) -> &'static str {
        match self {
            WireTimeSource::Hardware => "hardware",
            WireTimeSource::Software => "software",
            WireTimeSource::Recapture => "recapture",
            WireTimeSource::Clock => "clock",
        }
    }
}

/// A time on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireTime {
    /// Nanoseconds on the clock of the captures.
    pub time: Time,
    /// How it was taken.
    pub source: WireTimeSource,
}

/// Sends that wait for their captured copy.
///
/// A copy is known by its bytes: all of them that a capture keeps, and the length on the wire.
/// Equal frames are matched in the order of their sends. A frame of other programs matches nothing;
/// one whose checksum is still to be computed cannot be ours, since what we send is complete, and
/// so needs no case of its own.
pub struct StampMatcher {
    snap: usize,
    most: usize,
    waiting: VecDeque<PendingStamp>,
    overflowed: u64,
}

struct PendingStamp {
    send: u64,
    print: u64,
    wire_len: usize,
}

/// How far from the oldest send a copy is looked for. A queue that reorders more than this loses
/// stamps, not packets.
const WINDOW: usize = 8192;

impl StampMatcher {
    /// For captures that keep `snap` bytes of a frame; at most `most` sends wait, older ones are
    /// given up.
    pub fn new(snap: usize, most: usize) -> StampMatcher {
        StampMatcher {
            snap,
            most: most.max(1),
            waiting: VecDeque::new(),
            overflowed: 0,
        }
    }

    /// Notes a frame that is about to be sent.
    pub fn register(&mut self, send: u64, frame: &[u8]) {
        if self.waiting.len() >= self.most {
            self.waiting.pop_front();
            self.overflowed += 1;
        }
        let kept = &frame[..frame.len().min(self.snap)];
        self.waiting.push_back(PendingStamp {
            send,
            print: fingerprint(kept),
            wire_len: frame.len(),
        });
    }

    /// The send whose copy this is. `frame` is what was captured, VLAN tags restored, `wire_len`
    /// its length on the wire.
    pub fn captured(
        &mut self,
        frame: &[u8],
        wire_len: usize,
        time: Time,
    ) -> Option<(u64, WireTime)> {
        let print = fingerprint(frame);
        let same = |w: &PendingStamp| w.print == print && w.wire_len == wire_len;
        let at = self.waiting.iter().take(WINDOW).position(same)?;
        let found = self.waiting.remove(at)?;
        Some((
            found.send,
            WireTime {
                time,
                source: WireTimeSource::Recapture,
            },
        ))
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

/// 64 bits that differ when the bytes do. Not secret: who could forge a collision could send the
/// frame itself.
fn fingerprint(octets: &[u8]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |state: u64, word: u64| (state ^ word).wrapping_mul(ODD).rotate_left(29);
    let (words, rest) = octets.as_chunks::<8>();
    let state = words
        .iter()
        .fold(octets.len() as u64, |s, w| mix(s, u64::from_le_bytes(*w)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let state = mix(state, u64::from_le_bytes(last));
    state ^ state >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Registers frames as sends 0, 1, …; captures others at 0, 1, … ns; tells which sends they
    /// were.
    fn check(
        snap: usize,
        most: usize,
        sent: &[&[u8]],
        captured: &[(&[u8], usize)],
        expected: &[Option<u64>],
    ) {
        let mut matcher = StampMatcher::new(snap, most);
        for (n, frame) in sent.iter().enumerate() {
            matcher.register(n as u64, frame);
        }
        for ((at, (frame, len)), expected) in captured.iter().enumerate().zip(expected) {
            let stamp = WireTime {
                time: Time(at as i64),
                source: WireTimeSource::Recapture,
            };
            let found = matcher.captured(frame, *len, Time(at as i64));
            assert_eq!(
                found,
                expected.map(|send| (send, stamp)),
                "capture {at} of {captured:?}"
            );
        }
    }

    #[test]
    fn copies_find_their_sends() {
        let [a, b, c] = [&b"aaaaaaaaaaaaaaaa"[..], b"bbbbbbbb", b"b"];
        check(
            99,
            9,
            &[a, b, c],
            &[(a, 16), (b, 8), (c, 1)],
            &[Some(0), Some(1), Some(2)],
        );
        // Another order, and strangers in between.
        check(
            99,
            9,
            &[a, b, c],
            &[(c, 1), (b"x", 1), (a, 16), (a, 16)],
            &[Some(2), None, Some(0), None],
        );
        // Equal frames in the order of their sends.
        check(
            99,
            9,
            &[b, b, b],
            &[(b, 8), (b, 8), (b, 8), (b, 8)],
            &[Some(0), Some(1), Some(2), None],
        );
        // Cut by the capture: the length on the wire tells more.
        check(
            4,
            9,
            &[b, b"bbbbbbbbb"],
            &[(b"bbbb", 9), (b"bbbb", 8), (b"bbbb", 8)],
            &[Some(1), Some(0), None],
        );
        // A trailing zero is not nothing.
        check(
            99,
            9,
            &[b"b\0", b"b"],
            &[(b"b", 1), (b"b\0", 2)],
            &[Some(1), Some(0)],
        );
        // Too many wait: the oldest are given up.
        check(
            99,
            2,
            &[a, b, c],
            &[(a, 16), (b, 8), (c, 1)],
            &[None, Some(1), Some(2)],
        );
    }

    #[test]
    fn a_send_can_be_given_up() {
        let mut matcher = StampMatcher::new(99, 9);
        matcher.register(7, b"x");
        matcher.register(8, b"x");
        matcher.forget(7);
        matcher.forget(99);
        assert_eq!(
            matcher.captured(b"x", 1, Time(0)).map(|(send, _)| send),
            Some(8)
        );
        assert_eq!((matcher.waiting(), matcher.overflowed()), (0, 0));
    }

    #[test]
    fn one_byte_makes_another_fingerprint() {
        for len in [1, 7, 8, 9, 64, 1514] {
            let frame = vec![0x5a; len];
            for at in 0..len {
                let mut other = frame.clone();
                other[at] ^= 1;
                assert_ne!(
                    fingerprint(&frame),
                    fingerprint(&other),
                    "byte {at} of {len}"
                );
            }
        }
    }
}
