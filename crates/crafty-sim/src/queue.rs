//! What is going to happen, in order of time; at the same time, in the order in which it was said.

use crate::node::NodeId;
use crafty_value::Time;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Something that is going to happen.
#[derive(Debug)]
pub(crate) enum Event {
    /// A node's port hears the last byte of a frame.
    Arrive {
        node: NodeId,
        port: usize,
        frame: Vec<u8>,
    },
    /// A node of ours puts a frame on its link.
    Depart { node: NodeId, frame: Vec<u8> },
    /// A node asked to be woken.
    Wake { node: NodeId },
}

/// Pending events.
#[derive(Default)]
pub(crate) struct Queue {
    heap: BinaryHeap<Reverse<Pending>>,
    said: u64,
}

struct Pending {
    at: Time,
    number: u64,
    event: Event,
}

impl Queue {
    pub fn push(&mut self, at: Time, event: Event) {
        self.heap.push(Reverse(Pending {
            at,
            number: self.said,
            event,
        }));
        self.said += 1;
    }

    pub fn next_at(&self) -> Option<Time> {
        self.heap.peek().map(|Reverse(first)| first.at)
    }

    /// The first event that is due by `to`.
    pub fn pop_due(&mut self, to: Time) -> Option<(Time, Event)> {
        if self.next_at()? > to {
            return None;
        }
        self.heap
            .pop()
            .map(|Reverse(first)| (first.at, first.event))
    }
}

impl Ord for Pending {
    fn cmp(&self, other: &Pending) -> Ordering {
        (self.at, self.number).cmp(&(other.at, other.number))
    }
}

impl PartialOrd for Pending {
    fn partial_cmp(&self, other: &Pending) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Pending {
    fn eq(&self, other: &Pending) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Pending {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_by_time_then_by_order_of_saying() {
        let mut queue = Queue::default();
        for (at, node) in [(5, 0), (3, 1), (5, 2), (3, 3)] {
            queue.push(Time(at), Event::Wake { node });
        }
        let mut seen = Vec::new();
        while let Some((at, Event::Wake { node })) = queue.pop_due(Time(5)) {
            seen.push((at.0, node));
        }
        assert_eq!(seen, [(3, 1), (3, 3), (5, 0), (5, 2)]);
    }
}
