//! The peer's half of the stream: what came, in order and early, and what we offer (RFC 9293
//! §3.3.1, RCV.*).
//!
//! Positions count from the peer's SYN, which is 0. The window does not depend on what the program
//! reads.

use super::assembler::Assembler;
use super::config::{MAX_UNREAD, MAX_WINDOW};
use super::seq::Seq;
use alloc::vec::Vec;

#[derive(Clone, Debug)]
pub(crate) struct Receiver {
    irs: Seq,
    /// Next position expected.
    pub nxt: u64,
    /// One after the last position that we ever offered to take.
    pub edge: u64,
    /// Bytes that we offer.
    pub window: u32,
    /// Our window shift; 0 if scaling is not in use.
    pub shift: u8,
    /// Position of the FIN, once it was seen.
    pub fin: Option<u64>,
    pub early: Assembler,
    /// In order, not read yet.
    pub ready: Vec<u8>,
    /// Position that was acknowledged last.
    pub acknowledged: u64,
    /// Largest payload seen, to know a full segment.
    pub largest: u32,
    /// What came twice last, to be told once (RFC 2883).
    pub twice: Option<(u64, u64)>,
}

/// What became of a payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Acceptance {
    /// Bytes that moved `nxt`.
    pub in_order: u64,
    /// Bytes of them that did not fit before the reader.
    pub dropped: u64,
    /// Bytes that wait for what is before them.
    pub early: u64,
    /// Whether a gap was closed, wholly or in part.
    pub filled: bool,
}

impl Receiver {
    pub fn new(irs: Seq, window: u32, shift: u8) -> Receiver {
        let window = sayable(window, shift);
        Receiver {
            irs,
            nxt: 1,
            edge: 1 + u64::from(window),
            window,
            shift,
            fin: None,
            early: Assembler::default(),
            ready: Vec::new(),
            acknowledged: 0,
            largest: 0,
            twice: None,
        }
    }

    /// Offers this from now on.
    pub fn set_window(&mut self, octets: u32) {
        self.window = sayable(octets, self.shift);
    }

    /// The number on the wire.
    pub fn seq(&self, position: u64) -> Seq {
        self.irs.plus(position as u32)
    }

    /// The position that a number near our window means.
    pub fn position(&self, seq: Seq) -> i64 {
        self.nxt as i64 + i64::from(seq.distance(self.seq(self.nxt)))
    }

    /// Whether a segment touches the window (RFC 9293 §3.10.7.4, first check). One without length
    /// may be at its very end.
    pub fn acceptable(&self, start: i64, len: u32) -> bool {
        let (nxt, edge) = (self.nxt as i64, self.edge as i64);
        let end = start + i64::from(len);
        if len == 0 {
            (nxt..=edge).contains(&start)
        } else {
            start < edge && end > nxt
        }
    }

    /// Takes the part of a payload that lies in the window.
    pub fn take(&mut self, start: i64, payload: &[u8]) -> Acceptance {
        let limit = self.fin.map_or(self.edge, |fin| fin.min(self.edge)) as i64;
        let end = (start + payload.len() as i64).min(limit);
        let from = start.max(self.nxt as i64);
        if start < self.nxt as i64 && !payload.is_empty() {
            self.twice = Some((start.max(1) as u64, end.min(self.nxt as i64).max(1) as u64));
        }
        if end <= from {
            return Acceptance::default();
        }
        let fresh = &payload[(from - start) as usize..(end - start) as usize];
        if from as u64 > self.nxt {
            self.take_early(from as u64, fresh)
        } else {
            self.take_in_order(fresh)
        }
    }

    fn take_early(&mut self, start: u64, fresh: &[u8]) -> Acceptance {
        let early = self.early.insert(start, fresh) as u64;
        if early == 0 {
            self.twice = Some((start, start + fresh.len() as u64));
        }
        Acceptance {
            early,
            ..Acceptance::default()
        }
    }

    fn take_in_order(&mut self, fresh: &[u8]) -> Acceptance {
        let mut dropped = append(&mut self.ready, fresh);
        self.nxt += fresh.len() as u64;
        let filled = !self.early.is_empty();
        let mut in_order = fresh.len() as u64;
        if filled {
            let ready = &mut self.ready;
            let more =
                self.early
                    .take(self.nxt, |piece| dropped += append(ready, piece)) as u64;
            self.nxt += more;
            in_order += more;
        }
        Acceptance {
            in_order,
            dropped,
            early: 0,
            filled,
        }
    }

    /// Moves past the FIN if all before it came.
    pub fn take_fin(&mut self) -> bool {
        let due = self.fin == Some(self.nxt);
        self.nxt += u64::from(due);
        due
    }

    /// Offers the whole window again, as far as that does not take an offer back, and says it in
    /// the unit of the header.
    pub fn offer(&mut self) -> u16 {
        self.edge = self.edge.max(self.nxt + u64::from(self.window));
        self.field()
    }

    /// The window field as it would be now.
    pub fn field(&self) -> u16 {
        let edge = self.edge.max(self.nxt + u64::from(self.window));
        ((edge - self.nxt) >> self.shift).min(0xffff) as u16
    }
}

/// The next window that a shifted field can say.
fn sayable(window: u32, shift: u8) -> u32 {
    window
        .min(MAX_WINDOW)
        .next_multiple_of(1 << shift)
        .min(0xffff << shift)
}

/// Keeps what fits before the reader; gives the bytes that do not.
fn append(ready: &mut Vec<u8>, octets: &[u8]) -> u64 {
    let room = MAX_UNREAD.saturating_sub(ready.len()).min(octets.len());
    ready.extend_from_slice(&octets[..room]);
    (octets.len() - room) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acceptability_follows_the_table_of_rfc_9293() {
        let mut receiver = Receiver::new(Seq(u32::MAX - 3), 100, 0);
        receiver.nxt = 11;
        receiver.edge = 111;
        let rows = [
            (11, 0, true),
            (10, 0, false),
            (111, 0, true),
            (112, 0, false),
            (10, 1, false),
            (10, 2, true),
            (110, 1, true),
            (111, 1, false),
        ];
        for (start, len, expected) in rows {
            assert_eq!(receiver.acceptable(start, len), expected, "{start} {len}");
        }
        assert_eq!(receiver.position(receiver.seq(60)), 60);
        assert_eq!(receiver.position(receiver.seq(2)), 2);
    }
}
