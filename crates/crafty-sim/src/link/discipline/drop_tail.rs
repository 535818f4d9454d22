//! First come, first served, with a limit in packets.

use super::{Discipline, DisciplineKind};
use crate::frame::Frame;
use crafty_value::Time;
use std::collections::VecDeque;

pub(crate) static PACKETS: usize = 1000;

pub(super) const KIND: DisciplineKind = DisciplineKind {
    name: "packets",
    build: |_, _| packets(PACKETS),
};

/// A queue of at most `most` packets.
pub(crate) fn packets(most: usize) -> Box<dyn Discipline> {
    Box::new(DropTail {
        most,
        waiting: VecDeque::new(),
    })
}

struct DropTail {
    most: usize,
    waiting: VecDeque<Frame>,
}

impl Discipline for DropTail {
    fn enqueue(&mut self, _: Time, frame: Frame, drops: &mut Vec<&'static str>) {
        if self.waiting.len() >= self.most {
            return drops.push("the queue is full");
        }
        self.waiting.push_back(frame);
    }

    fn dequeue(&mut self, _: Time, _: &mut Vec<&'static str>) -> Option<Frame> {
        self.waiting.pop_front()
    }

    fn len(&self) -> usize {
        self.waiting.len()
    }
}
