//! Our half of the stream: what is queued, what is under way, what the peer allows (RFC 9293
//! §3.3.1, SND.*).
//!
//! Positions count from our SYN, which is 0; the first byte of data is 1, the FIN follows the last.

use super::config::{Config, MAX_UNSENT};
use super::scoreboard::Scoreboard;
use super::seq::Seq;
use alloc::collections::VecDeque;

/// Bytes of an empty queue whose memory is kept: a silent connection costs little.
const KEPT: usize = 1 << 12;

#[derive(Clone, Debug)]
pub(crate) struct Sender {
    iss: Seq,
    /// Oldest position that is not acknowledged.
    pub una: u64,
    /// Next position to send.
    pub nxt: u64,
    /// One after the last position that a crafted segment carried.
    pub noted: u64,
    /// One after the last position that the peer acknowledged, crafted ones included.
    pub acknowledged: u64,
    queue: VecDeque<u8>,
    /// Position of the first byte in the queue.
    base: u64,
    /// A FIN follows the queue.
    pub fin: bool,
    /// One after the last position that the peer lets us send. A position, not a distance from
    /// `una`: an acknowledgement alone never moves it.
    pub edge: u64,
    /// The peer's window as it was said last, and the largest it ever offered.
    pub window: u64,
    pub max_window: u64,
    /// Position (peer's) and acknowledgement of the newest segment that set the window.
    pub wl1: i64,
    pub wl2: u64,
    /// The peer's window shift.
    pub shift: u8,
    /// Largest segment, TCP options included, as peer, path and configuration allow.
    pub mss: u32,
    pub board: Scoreboard,
}

impl Sender {
    pub fn new(iss: u32, config: &Config) -> Sender {
        Sender {
            iss: Seq(iss),
            una: 0,
            nxt: 0,
            noted: 0,
            acknowledged: 0,
            queue: VecDeque::new(),
            base: 1,
            fin: false,
            edge: 0,
            window: 0,
            max_window: 0,
            wl1: 0,
            wl2: 0,
            shift: 0,
            mss: u32::from(config.mss.max(config.min_mss)),
            board: Scoreboard::default(),
        }
    }

    /// The number on the wire.
    pub fn seq(&self, position: u64) -> Seq {
        self.iss.plus(position as u32)
    }

    /// The position that a number near our window means.
    pub fn position(&self, seq: Seq) -> i64 {
        self.una as i64 + i64::from(seq.distance(self.seq(self.una)))
    }

    /// One after the last byte queued.
    pub fn data_end(&self) -> u64 {
        self.base + self.queue.len() as u64
    }

    /// One behind all that is to be sent, FIN included.
    pub fn end(&self) -> u64 {
        self.data_end() + u64::from(self.fin)
    }

    /// Bytes queued that were never sent.
    pub fn unsent(&self) -> u64 {
        self.data_end().saturating_sub(self.nxt.max(1))
    }

    /// Where acknowledgements without data stand: behind all that the peer has seen, so that it
    /// takes them.
    pub fn here(&self) -> u64 {
        let next = self.nxt.max(self.acknowledged);
        // Where the peer took its window back, SND.NXT lies outside of it, and a peer that keeps to
        // the table of RFC 9293 §3.10.7.4 drops a segment there with its acknowledgement.
        next.min(self.edge.max(self.una))
    }

    /// Takes what a segment says of the peer's window.
    ///
    /// RFC 9293 §3.10.7.4 takes the segment with the higher sequence number for the newer one
    /// (SND.WL1, then SND.WL2). A retransmission is newer than its sequence number tells: it has the
    /// acknowledgement and the window of the moment. So the acknowledgement, which never goes back,
    /// decides first. What is not newer can still show a higher right edge: the peer may not take
    /// back what it offered once (§3.8.6), so that offer holds.
    pub fn take_window(&mut self, window: u64, start: i64, ack: u64) {
        let edge = ack + window;
        if (self.wl2, self.wl1) <= (ack, start) {
            (self.edge, self.window) = (edge, window);
            (self.wl1, self.wl2) = (start, ack);
        } else if edge > self.edge {
            (self.edge, self.window) = (edge, edge.saturating_sub(self.una));
        }
        self.max_window = self.max_window.max(window);
    }

    pub fn fits(&self, octets: usize) -> bool {
        self.queue.len().saturating_add(octets) <= MAX_UNSENT
    }

    pub fn push(&mut self, octets: &[u8]) {
        self.queue.extend(octets);
    }

    /// Puts bytes before all that was never sent.
    pub fn insert(&mut self, octets: &[u8]) {
        let at = (self.nxt.max(1) - self.base) as usize;
        let behind = self.queue.split_off(at.min(self.queue.len()));
        self.queue.extend(octets);
        self.queue.extend(behind);
    }

    /// Drops what was never sent.
    pub fn drop_unsent(&mut self) {
        self.queue.truncate((self.nxt.max(1) - self.base) as usize);
    }

    /// Drops everything.
    pub fn drop_all(&mut self) {
        self.base = self.nxt.max(1);
        self.queue = VecDeque::new();
        self.fin = false;
    }

    /// Forgets data before `una`.
    pub fn release(&mut self, una: u64) {
        let done = (una.saturating_sub(self.base) as usize).min(self.queue.len());
        self.queue.drain(..done);
        self.base += done as u64;
        if self.queue.is_empty() && self.queue.capacity() > KEPT {
            self.queue = VecDeque::new();
        }
    }

    /// The data between two positions, as the ring holds it.
    pub fn data(&self, start: u64, end: u64) -> [&[u8]; 2] {
        let cut = |position: u64| (position.max(self.base) - self.base) as usize;
        let (from, to) = (cut(start), cut(end).min(self.queue.len()));
        let (front, back) = self.queue.as_slices();
        let part = |slice: &'_ [u8], before: usize| -> core::ops::Range<usize> {
            let clamp = |at: usize| at.saturating_sub(before).min(slice.len());
            clamp(from)..clamp(to).max(clamp(from))
        };
        [&front[part(front, 0)], &back[part(back, front.len())]]
    }
}
