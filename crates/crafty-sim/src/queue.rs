//! What is going to happen, in order of time. The heap holds one entry for each thing that may
//! happen next (the first frame of a direction of a link, a node's alarm), never a frame: its size
//! follows the number of links at work, not the number of frames on them.

use crafty_value::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Whose turn it is. At the same time frames arrive before lines become free, before alarms ring;
/// within a class the lower number is first: the order of insertion decides nothing, so an
/// unrelated node changes no order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EventSource {
    /// A fault begins or ends, by its number.
    Change(u32),
    /// The first frame under way on a direction of a link (twice the link's number, plus the side).
    Lane(u32),
    /// A program's host has a frame to send.
    Port(u32),
    /// A direction of a link can take the next frame of its queue.
    Line(u32),
    /// A node asked to be woken.
    Wake(u32),
}

/// Pending events.
#[derive(Default)]
pub(crate) struct EventQueue {
    heap: BinaryHeap<Reverse<(Time, EventSource)>>,
}

impl EventQueue {
    pub fn push(&mut self, at: Time, source: EventSource) {
        self.heap.push(Reverse((at, source)));
    }

    pub fn next(&self) -> Option<(Time, EventSource)> {
        self.heap.peek().map(|Reverse(first)| *first)
    }

    /// Takes the first event away.
    pub fn pop(&mut self) {
        self.heap.pop();
    }

    /// Puts a later event in the place of the first: one sift instead of two.
    pub fn replace_first(&mut self, at: Time, source: EventSource) {
        if let Some(mut first) = self.heap.peek_mut() {
            *first = Reverse((at, source));
        }
    }

    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.heap.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_by_time_then_class_then_number_whatever_the_order_of_insertion() {
        let mut events = vec![
            (Time(3), EventSource::Lane(7)),
            (Time(3), EventSource::Wake(0)),
            (Time(5), EventSource::Change(2)),
            (Time(5), EventSource::Lane(1)),
            (Time(5), EventSource::Line(1)),
        ];
        for _ in 0..events.len() {
            events.rotate_left(1);
            let mut queue = EventQueue::default();
            for (at, source) in &events {
                queue.push(*at, *source);
            }
            let mut seen = Vec::new();
            while let Some(first) = queue.next() {
                seen.push(first);
                queue.pop();
            }
            assert!(seen.is_sorted() && seen.len() == events.len() && queue.len() == 0);
        }
    }
}
