//! Conversations: who talks with whom. The one that was silent for longest goes when there are too
//! many.

use crate::flow_side::Side;
use crate::observed_packet::{Seen, bits};
use crafty_value::{Duration, Time};
use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;

/// Flows that are kept at most.
pub const MAX_FLOWS: usize = 4096;

/// An address with a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Endpoint {
    /// Address.
    pub address: IpAddr,
    /// Port.
    pub port: u16,
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.address {
            IpAddr::V4(address) => write!(f, "{address}:{}", self.port),
            IpAddr::V6(address) => write!(f, "[{address}]:{}", self.port),
        }
    }
}

/// What tells flows apart: the lower end first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    protocol: &'static str,
    ends: [Endpoint; 2],
}

impl Key {
    pub fn new(protocol: &'static str, a: Endpoint, b: Endpoint) -> Key {
        Key {
            protocol,
            ends: if a <= b { [a, b] } else { [b, a] },
        }
    }

    /// The side that sends from there.
    pub fn side(&self, address: IpAddr, port: u16) -> usize {
        usize::from(self.ends[0] != Endpoint { address, port })
    }
}

/// A conversation.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Its first packet.
    pub first: u64,
    /// `TCP` or `UDP`.
    pub protocol: &'static str,
    /// Its two ends.
    pub ends: [Endpoint; 2],
    /// What each end did.
    pub sides: [Side; 2],
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

impl fmt::Display for Flow {
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

impl Flow {
    fn new(key: &Key, seen: &Seen<'_>) -> Flow {
        let answer = seen
            .tcp
            .as_ref()
            .is_some_and(|it| it.has(bits::SYN) && it.has(bits::ACK));
        Flow {
            first: seen.index,
            protocol: key.protocol,
            ends: key.ends,
            sides: [Side::default(), Side::default()],
            opener: if answer { 1 - seen.side } else { seen.side },
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

    /// Whether this packet opens the same pair of ports anew.
    fn is_over(&self, seen: &Seen<'_>) -> bool {
        let Some(segment) = seen
            .tcp
            .as_ref()
            .filter(|it| it.has(bits::SYN) && !it.has(bits::ACK))
        else {
            return false;
        };
        self.sides[seen.side]
            .base
            .is_some_and(|base| base != segment.seq)
    }
}

/// All flows, and the order in which they spoke last.
#[derive(Debug, Default)]
pub(crate) struct Flows {
    flows: BTreeMap<Key, Flow>,
    order: BTreeMap<u64, Key>,
    serial: u64,
    pub let_go: u64,
}

impl Flows {
    /// Takes a packet; gives the flows that are over by it.
    pub fn take(&mut self, seen: &mut Seen<'_>) -> Vec<Flow> {
        let Some(key) = seen.key else {
            return Vec::new();
        };
        let mut gone = Vec::new();
        if self.flows.get(&key).is_some_and(|flow| flow.is_over(seen)) {
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
            .or_insert_with(|| Flow::new(&key, seen));
        self.order.remove(&flow.serial);
        flow.serial = self.serial;
        self.order.insert(self.serial, key);
        seen.trace = flow.take(seen);
        gone
    }

    pub fn of(&self, key: &Key) -> Option<&Flow> {
        self.flows.get(key)
    }

    pub fn all(&self) -> impl Iterator<Item = &Flow> {
        self.flows.values()
    }

    fn remove(&mut self, key: &Key) -> Option<Flow> {
        let flow = self.flows.remove(key)?;
        self.order.remove(&flow.serial);
        Some(flow)
    }
}
