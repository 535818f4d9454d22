//! Conversations: who talks with whom. The one that was silent for longest goes when there are too
//! many.

use crate::flow_key::FlowKey;
use crate::flow_side::FlowSide;
use crate::observed_packet::ObservedPacket;
use crafty_value::{Duration, Time};
use crafty_wire::protocols::tcp::{ACK_FLAG, SYN_FLAG};
use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;

/// Flows that are kept at most.
pub const MAX_FLOWS: usize = 4096;

/// A conversation.
#[derive(Clone, Debug)]
pub struct AnalysedFlow {
    /// Its first packet.
    pub first: u64,
    /// `TCP`, `UDP` or `SCTP`.
    pub protocol: &'static str,
    /// Its two ends.
    pub ends: [SocketAddr; 2],
    /// What each end did.
    pub sides: [FlowSide; 2],
    /// The side that opened it: it sent a SYN, or the first packet seen.
    pub opener: usize,
    /// From SYN to the acknowledgement of the answer, as it passed here: a whole round trip.
    pub round_trip: Option<Duration>,
    /// Whether the three messages of an opening were seen.
    pub open: bool,
    /// Side and packet of a reset.
    pub reset: Option<(usize, u64)>,
    /// From this place to each end and back, as the opening took.
    pub(crate) trips: [Option<Duration>; 2],
    pub(crate) opened_at: Option<Time>,
    pub(crate) answered_at: Option<Time>,
    pub(crate) answered: bool,
    serial: u64,
}

impl fmt::Display for AnalysedFlow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {} > {}",
            self.protocol,
            self.ends[self.opener],
            self.ends[1 - self.opener]
        )
    }
}

impl AnalysedFlow {
    fn new(key: &FlowKey, packet: &ObservedPacket<'_>) -> AnalysedFlow {
        let answer = packet
            .tcp
            .as_ref()
            .is_some_and(|it| it.has(SYN_FLAG) && it.has(ACK_FLAG));
        AnalysedFlow {
            first: packet.index,
            protocol: key.protocol,
            ends: key.ends,
            sides: [FlowSide::default(), FlowSide::default()],
            opener: if answer { 1 - packet.side } else { packet.side },
            round_trip: None,
            open: false,
            reset: None,
            trips: [None; 2],
            opened_at: None,
            answered_at: None,
            answered: false,
            serial: 0,
        }
    }

    /// Who sends on this side, and to whom.
    pub fn way(&self, side: usize) -> String {
        format!("{} to {}", self.ends[side], self.ends[1 - side])
    }

    /// Whether this packet opens the same pair of ports again.
    fn is_over(&self, packet: &ObservedPacket<'_>) -> bool {
        let Some(segment) = packet
            .tcp
            .as_ref()
            .filter(|it| it.has(SYN_FLAG) && !it.has(ACK_FLAG))
        else {
            return false;
        };
        self.sides[packet.side]
            .base
            .is_some_and(|base| base != segment.seq)
    }
}

/// All flows, and the order in which they spoke last.
#[derive(Debug, Default)]
pub(crate) struct FlowTable {
    flows: BTreeMap<FlowKey, AnalysedFlow>,
    order: BTreeMap<u64, FlowKey>,
    serial: u64,
    pub let_go: u64,
}

impl FlowTable {
    /// Takes a packet; gives the flows that are over by it.
    pub fn take(&mut self, packet: &mut ObservedPacket<'_>) -> Vec<AnalysedFlow> {
        let Some(key) = packet.key else {
            return Vec::new();
        };
        let mut gone = Vec::new();
        if self
            .flows
            .get(&key)
            .is_some_and(|flow| flow.is_over(packet))
        {
            gone.extend(self.remove(&key));
        } else if self.flows.len() >= MAX_FLOWS && !self.flows.contains_key(&key) {
            gone.extend(
                self.order
                    .first_key_value()
                    .map(|(_, key)| *key)
                    .and_then(|oldest| self.remove(&oldest)),
            );
            self.let_go += 1;
        }
        self.serial += 1;
        let flow = self
            .flows
            .entry(key)
            .or_insert_with(|| AnalysedFlow::new(&key, packet));
        self.order.remove(&flow.serial);
        flow.serial = self.serial;
        self.order.insert(self.serial, key);
        packet.meaning = flow.take(packet);
        gone
    }

    pub fn of(&self, key: &FlowKey) -> Option<&AnalysedFlow> {
        self.flows.get(key)
    }

    pub fn all(&self) -> impl Iterator<Item = &AnalysedFlow> {
        self.flows.values()
    }

    fn remove(&mut self, key: &FlowKey) -> Option<AnalysedFlow> {
        let flow = self.flows.remove(key)?;
        self.order.remove(&flow.serial);
        Some(flow)
    }
}
