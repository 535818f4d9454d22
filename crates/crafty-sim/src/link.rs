//! A full-duplex link: each way has a rate, a drop-tail queue and a delay, and may have faults.

use crate::capture::Passed;
use crate::dice::Dice;
use crate::faults::{Impairment, Verdict};
use crate::node::NodeId;
use crafty_value::{Duration, Time};

/// Bytes of preamble, start delimiter, FCS and gap that a frame costs beside its own (IEEE 802.3
/// §4.2.3).
const FRAME_OVERHEAD: usize = 24;
/// Shortest frame without its FCS (IEEE 802.3 §4.2.3.3); shorter ones are padded.
const SHORTEST_FRAME: usize = 60;
/// Bytes before the datagram, with room for one VLAN tag.
const LONGEST_HEADER: usize = 18;

/// What a link is like; both ways are alike.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Medium {
    /// Bits a second.
    pub rate: i64,
    /// From one end to the other.
    pub delay: Duration,
    /// Bytes that may wait.
    pub queue: i64,
    /// Most bytes of a datagram.
    pub mtu: usize,
}

/// A link between two ports.
pub(crate) struct Link {
    pub name: String,
    pub medium: Medium,
    /// Node and port number of each end.
    pub ends: [(NodeId, usize); 2],
    pub ways: [Way; 2],
    pub record: Option<Vec<Passed>>,
}

/// One direction of a link.
#[derive(Default)]
pub(crate) struct Way {
    busy_until: Time,
    pub impairments: Vec<Impairment>,
}

/// When the copies of a frame arrive: none, one or two of them.
pub(crate) type Arrivals = Vec<(Time, Vec<u8>)>;

impl Link {
    pub fn new(name: String, medium: Medium, ends: [(NodeId, usize); 2]) -> Link {
        Link {
            name,
            medium,
            ends,
            ways: Default::default(),
            record: None,
        }
    }

    /// Sends a frame one way at `now`; the reason if it is lost.
    pub fn transmit(
        &mut self,
        side: usize,
        now: Time,
        mut frame: Vec<u8>,
    ) -> Result<Arrivals, &'static str> {
        if frame.len() > self.medium.mtu + LONGEST_HEADER {
            return Err("longer than the link takes");
        }
        let mut late = Duration::ZERO;
        let mut copies = 1;
        for impairment in &mut self.ways[side].impairments {
            match impairment.judge(&mut frame) {
                Verdict::Pass => {}
                Verdict::Drop => return Err(impairment.name()),
                Verdict::Late(by) => late = Duration(late.0.saturating_add(by.0)),
                Verdict::Twice => copies = 2,
            }
        }
        if frame.len() < SHORTEST_FRAME {
            frame.resize(SHORTEST_FRAME, 0);
        }
        let mut arrivals = Vec::with_capacity(copies);
        for _ in 1..copies {
            arrivals.push((
                self.occupy(side, now, frame.len())?.after(late),
                frame.clone(),
            ));
        }
        arrivals.push((self.occupy(side, now, frame.len())?.after(late), frame));
        Ok(arrivals)
    }

    /// Takes the wire for one frame, after those that wait; gives the time at which its last byte
    /// arrives.
    fn occupy(&mut self, side: usize, now: Time, octets: usize) -> Result<Time, &'static str> {
        let way = &mut self.ways[side];
        let waits = way.busy_until.since(now).max(Duration::ZERO);
        if i128::from(waits.0) * i128::from(self.medium.rate)
            > i128::from(self.medium.queue) * 8_000_000_000
        {
            return Err("the queue is full");
        }
        let takes = (octets + FRAME_OVERHEAD) as i64 * 8_000_000_000 / self.medium.rate.max(1);
        way.busy_until = now.after(waits).after(Duration(takes));
        Ok(way.busy_until.after(self.medium.delay))
    }
}

impl Impairment {
    /// Puts this impairment, with dice of its own, on one way of `link`.
    pub fn on(mut self, link: &mut Link, side: usize, seed: u64) {
        self.dice = Dice::new(seed, &format!("{}/{side}/{}", link.name, self.name()));
        link.ways[side].impairments.push(self);
    }
}
