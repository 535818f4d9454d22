//! Random early detection (Floyd and Jacobson 1993), with marking for ECN (RFC 3168 §7).

use super::{Discipline, DisciplineKind};
use crate::dice::RandomStream;
use crate::frame::Frame;
use crate::packet::{self, ETHERNET};
use crafty_value::Time;
use std::collections::VecDeque;

pub(super) const KIND: DisciplineKind = DisciplineKind {
    name: "red",
    build: |medium, dice| {
        let limit = medium.queue.max(3000);
        Box::new(Red::new(limit, [limit / 6, limit / 2], 100_000, dice))
    },
};

/// The average's weight of the newest sample is one part in this.
const WEIGHT: i64 = 16;

/// A queue that drops or marks the more, the longer it is on average.
pub(crate) struct Red {
    limit: i64,
    thresholds: [i64; 2],
    /// Share dropped at the upper threshold, in parts of a million.
    most: i64,
    average: i64,
    bytes: i64,
    waiting: VecDeque<Frame>,
    dice: RandomStream,
}

impl Red {
    /// Limits in bytes, the share in parts of a million.
    pub fn new(limit: i64, thresholds: [i64; 2], most: i64, dice: RandomStream) -> Red {
        Red {
            limit,
            thresholds,
            most,
            average: 0,
            bytes: 0,
            waiting: VecDeque::new(),
            dice,
        }
    }

    /// Share that is dropped or marked at the present average.
    fn share(&self) -> i64 {
        let [low, high] = self.thresholds;
        match self.average {
            it if it < low => 0,
            it if it < high => self.most * (it - low) / (high - low).max(1),
            _ => 1_000_000,
        }
    }
}

impl Discipline for Red {
    fn enqueue(&mut self, _: Time, mut frame: Frame, drops: &mut Vec<&'static str>) {
        self.average += (self.bytes - self.average) / WEIGHT;
        let size = frame.bytes.len() as i64;
        if self.bytes + size > self.limit {
            return drops.push("the queue is full");
        }
        let share = self.share();
        if share > 0 && self.dice.hits(share) && !mark(&mut frame) {
            return drops.push("random early detection");
        }
        self.bytes += size;
        self.waiting.push_back(frame);
    }

    fn dequeue(&mut self, _: Time, _: &mut Vec<&'static str>) -> Option<Frame> {
        let frame = self.waiting.pop_front()?;
        self.bytes -= frame.bytes.len() as i64;
        if self.waiting.is_empty() {
            self.average /= 2;
        }
        Some(frame)
    }

    fn len(&self) -> usize {
        self.waiting.len()
    }
}

/// Marks congestion on a datagram whose ends know ECN; whether it could.
pub(super) fn mark(frame: &mut Frame) -> bool {
    let datagram = frame.bytes.get_mut(ETHERNET..).unwrap_or_default();
    let capable = matches!(packet::tos(datagram).map(|tos| tos & 3), Some(1..=3));
    if capable {
        let tos = packet::tos(datagram).unwrap_or(0) | 3;
        packet::set_tos(datagram, tos);
    }
    capable
}
