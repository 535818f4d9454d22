//! Flow queueing with controlled delay (RFC 8290): deficit round robin over hashed flows, new flows
//! first.

use super::codel::Codel;
use super::{Discipline, DisciplineKind};
use crate::dice::mix;
use crate::frame::Frame;
use crate::packet::{self, ETHERNET, Head};
use crafty_value::Time;
use std::collections::{BTreeMap, VecDeque};

pub(super) const KIND: DisciplineKind = DisciplineKind {
    name: "fq_codel",
    build: |medium, mut dice| {
        Box::new(FlowQueues {
            limit: medium.queue,
            seed: dice.roll(),
            flows: BTreeMap::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
        })
    },
};

/// Flows are distinguished by this many hash values (RFC 8290 §4.1).
const FLOWS: u64 = 1024;
/// Bytes that a flow may send in a round (RFC 8290 §4.1.2).
const QUANTUM: i64 = 1514;

struct FlowQueue {
    queue: Codel,
    deficit: i64,
}

struct FlowQueues {
    limit: i64,
    seed: u64,
    flows: BTreeMap<u64, FlowQueue>,
    new: VecDeque<u64>,
    old: VecDeque<u64>,
}

impl FlowQueues {
    fn flow(&self, frame: &Frame) -> u64 {
        let datagram = frame.bytes.get(ETHERNET..).unwrap_or_default();
        let Ok(head) = Head::read(datagram) else {
            return 0;
        };
        packet::flow_hash(self.seed, &head, datagram) % FLOWS
    }

    /// Where the longest queue is: it pays for what does not fit.
    fn longest(&self) -> Option<u64> {
        let longest = self.flows.iter().max_by_key(|(_, flow)| flow.queue.bytes);
        longest.map(|(key, _)| *key)
    }
}

impl Discipline for FlowQueues {
    fn enqueue(&mut self, now: Time, frame: Frame, drops: &mut Vec<&'static str>) {
        let key = mix(self.flow(&frame));
        let limit = self.limit;
        let flow = self.flows.entry(key).or_insert_with(|| FlowQueue {
            queue: Codel::new(limit),
            deficit: QUANTUM,
        });
        flow.queue.enqueue(now, frame, drops);
        if !self.new.contains(&key) && !self.old.contains(&key) {
            self.new.push_back(key);
        }
        let total: i64 = self.flows.values().map(|flow| flow.queue.bytes).sum();
        if total > self.limit
            && let Some(flow) = self.longest().and_then(|key| self.flows.get_mut(&key))
            && flow.queue.dequeue(now, drops).is_some()
        {
            drops.push("the queue is full");
        }
    }

    fn dequeue(&mut self, now: Time, drops: &mut Vec<&'static str>) -> Option<Frame> {
        loop {
            let is_new = !self.new.is_empty();
            let key = *self.new.front().or(self.old.front())?;
            let flow = self.flows.get_mut(&key)?;
            let spent = flow.deficit <= 0;
            let frame = if spent {
                flow.deficit += QUANTUM;
                None
            } else {
                flow.queue.dequeue(now, drops)
            };
            if let Some(frame) = frame {
                flow.deficit -= frame.bytes.len() as i64;
                return Some(frame);
            }
            if is_new {
                self.new.pop_front();
            } else {
                self.old.pop_front();
            }
            if spent || is_new {
                self.old.push_back(key);
            } else {
                self.flows.remove(&key);
            }
        }
    }

    fn len(&self) -> usize {
        self.flows.values().map(|flow| flow.queue.len()).sum()
    }
}
