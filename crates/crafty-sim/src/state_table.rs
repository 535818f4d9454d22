//! The table of a stateful box: which flows it has seen, and when last.

use crate::link::InlineVerdict;
use crate::packet::{self, ETHERNET, Head};
use crate::tcp::{self, FourTuple};
use crafty_value::{Duration, Time};
use std::collections::BTreeMap;

/// What a box keeps state for; all else passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tracked {
    Tcp,
    Udp,
}

/// Flows with the time of their last packet.
pub(crate) struct StateTable {
    idle: Duration,
    most: usize,
    flows: BTreeMap<FourTuple, Time>,
    /// The side that asks: that of the first packet that was seen at all.
    inside: Option<usize>,
}

impl StateTable {
    /// More flows than anybody has.
    pub const MANY: usize = 1 << 20;

    /// A table that forgets a flow after `idle`, and holds no more than `most`.
    pub fn new(idle: Duration, most: usize) -> StateTable {
        StateTable {
            idle,
            most,
            flows: BTreeMap::new(),
            inside: None,
        }
    }

    /// Whether a frame passes: it belongs to a flow that is known, or begins one.
    pub fn judge(
        &mut self,
        now: Time,
        side: usize,
        frame: &[u8],
        tracked: Tracked,
    ) -> InlineVerdict {
        let Some((flow, begins)) = self.flow(side, frame, tracked) else {
            return InlineVerdict::Pass;
        };
        let key = if self.flows.contains_key(&flow) {
            flow
        } else {
            flow.reversed()
        };
        let known = self.flows.get(&key).copied();
        match known.filter(|last| now.since(*last) < self.idle) {
            Some(_) => {
                self.flows.insert(key, now);
                InlineVerdict::Pass
            }
            None if begins && self.has_room(now) => {
                self.flows.insert(flow, now);
                InlineVerdict::Pass
            }
            None => InlineVerdict::Drop,
        }
    }

    fn has_room(&mut self, now: Time) -> bool {
        if self.flows.len() >= self.most {
            let idle = self.idle;
            self.flows.retain(|_, last| now.since(*last) < idle);
        }
        self.flows.len() < self.most
    }

    /// The flow of a frame, and whether it may begin one: a SYN, or a datagram from inside.
    fn flow(&mut self, side: usize, frame: &[u8], tracked: Tracked) -> Option<(FourTuple, bool)> {
        match tracked {
            Tracked::Tcp => {
                let flow = tcp::flow(frame)?;
                Some((flow, tcp::is_first_syn(frame)))
            }
            Tracked::Udp => {
                let datagram = frame.get(ETHERNET..)?;
                let head = Head::read(datagram).ok()?;
                let is_udp = head.proto == packet::UDP;
                let [a, b, c, d] = head.ports(datagram).filter(|_| is_udp)?;
                let inside = *self.inside.get_or_insert(side);
                let ports = [u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])];
                let ends = [(head.src, ports[0]), (head.dst, ports[1])];
                Some((FourTuple { ends }, side == inside))
            }
        }
    }
}
