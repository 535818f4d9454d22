//! Strict priority by class of traffic: expedited forwarding and network control go before all
//! else (RFC 3246 §2.2), without a limit.

use super::{Discipline, DisciplineKind};
use crate::frame::Frame;
use crate::packet::{self, ETHERNET};
use crafty_value::Time;
use std::collections::VecDeque;

pub(super) const KIND: DisciplineKind = DisciplineKind {
    name: "priority",
    build: |medium, _| {
        Box::new(Priority {
            limit: medium.queue,
            bytes: [0; 2],
            classes: Default::default(),
        })
    },
};

/// The lowest code point that goes first: expedited forwarding (RFC 3246 §2.7).
const EXPEDITED: u8 = 46;

struct Priority {
    limit: i64,
    bytes: [i64; 2],
    classes: [VecDeque<Frame>; 2],
}

impl Discipline for Priority {
    fn enqueue(&mut self, _: Time, frame: Frame, drops: &mut Vec<&'static str>) {
        let tos = packet::tos(frame.bytes.get(ETHERNET..).unwrap_or_default());
        let class = usize::from(tos.is_none_or(|tos| tos >> 2 < EXPEDITED));
        let size = frame.bytes.len() as i64;
        if self.bytes[class] + size > self.limit {
            return drops.push("the queue is full");
        }
        self.bytes[class] += size;
        self.classes[class].push_back(frame);
    }

    fn dequeue(&mut self, _: Time, _: &mut Vec<&'static str>) -> Option<Frame> {
        let class = usize::from(self.classes[0].is_empty());
        let frame = self.classes[class].pop_front()?;
        self.bytes[class] -= frame.bytes.len() as i64;
        Some(frame)
    }

    fn len(&self) -> usize {
        self.classes.iter().map(VecDeque::len).sum()
    }
}
