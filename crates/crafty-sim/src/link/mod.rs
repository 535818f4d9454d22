//! A link between two ports. Each direction has a rate, a queue and a delay of its own, and what is
//! inline on the link sees every frame that is put on it.

mod discipline;
#[cfg(test)]
mod fidelity;
mod inline;

use crate::capture::Passed;
use crate::frame::Frame;
use crate::node::NodeId;
use crate::queue::EventSource;
use crafty_value::{Duration, Time};
pub(crate) use discipline::{DISCIPLINES, Discipline, Red, drop_tail_by_packets};
pub(crate) use inline::{Inline, InlineVerdict, Inlined, Passing};
use std::collections::VecDeque;

/// Bytes of preamble, start delimiter, FCS and gap that a frame costs beside its own (IEEE 802.3
/// §4.2.3).
const FRAME_OVERHEAD: usize = 24;
/// Shortest frame without its FCS (IEEE 802.3 §4.2.3.3); shorter ones are padded.
const SHORTEST_FRAME: usize = 60;
/// Bytes before the datagram, with room for one VLAN tag.
const LONGEST_HEADER: usize = 18;

/// What one direction of a link is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LinkProperties {
    /// Bits a second.
    pub rate: i64,
    /// From one end to the other.
    pub delay: Duration,
    /// Bytes that may wait.
    pub queue: i64,
    /// Most bytes of a datagram.
    pub mtu: usize,
}

impl LinkProperties {
    /// How long a frame of `bytes` keeps the line busy.
    pub fn serialization(&self, bytes: usize) -> Duration {
        Duration((bytes + FRAME_OVERHEAD) as i64 * 8_000_000_000 / self.rate.max(1))
    }
}

/// A link between two ports.
pub(crate) struct Link {
    pub name: String,
    /// Its number in the lab.
    pub number: usize,
    /// Node and port number of each end.
    pub ends: [(NodeId, usize); 2],
    /// By the side that sends.
    pub ways: [LinkDirection; 2],
    pub inlines: Vec<Inlined>,
    pub record: Option<Vec<Passed>>,
}

/// One direction of a link.
pub(crate) struct LinkDirection {
    pub medium: LinkProperties,
    busy_until: Time,
    /// Frames under way with the times at which they arrive, in order of these.
    in_flight: VecDeque<(Time, Frame)>,
    /// The event of this direction that counts; any other in the heap is stale.
    due: Option<Time>,
    /// A queue that decides frame by frame; without one the queue is drop-tail by bytes, which
    /// needs no frame to be held back: its delay follows from when the line is free.
    discipline: Option<Box<dyn Discipline>>,
    line_due: Option<Time>,
    /// Bits that were put on the line so far, all that a frame costs included.
    pub carried: u64,
}

/// What sending a frame brought about.
#[derive(Default)]
pub(crate) struct Effects {
    /// Events to wait for.
    pub events: Vec<(Time, EventSource)>,
    /// Frames given up, by reason.
    pub drops: Vec<&'static str>,
}

impl Link {
    pub fn new(
        name: String,
        number: usize,
        media: [LinkProperties; 2],
        ends: [(NodeId, usize); 2],
    ) -> Link {
        Link {
            name,
            number,
            ends,
            ways: media.map(LinkDirection::new),
            inlines: Vec::new(),
            record: None,
        }
    }

    /// Sends a frame from `side` at `now`.
    pub fn transmit(&mut self, side: usize, now: Time, mut frame: Frame, effects: &mut Effects) {
        if frame.bytes.len() > self.ways[side].medium.mtu + LONGEST_HEADER {
            return effects.drops.push("longer than the link's MTU");
        }
        if self.inlines.is_empty() {
            return self.enter(side, now, frame, Duration::ZERO, effects);
        }
        let mut injected = Vec::new();
        let mut late = Duration::ZERO;
        let mut copies = 1;
        for inlined in self.inlines.iter_mut().filter(|it| it.works(side, now)) {
            match inlined.on_frame(side, now, &mut frame, &mut injected) {
                InlineVerdict::Pass => {}
                InlineVerdict::Drop => {
                    effects.drops.push(inlined.name());
                    copies = 0;
                    break;
                }
                InlineVerdict::Late(by) => late = Duration(late.0.saturating_add(by.0)),
                InlineVerdict::Copies(more) => copies += more,
            }
        }
        for _ in 1..copies {
            self.enter(side, now, frame.clone(), late, effects);
        }
        if copies > 0 {
            self.enter(side, now, frame, late, effects);
        }
        for (side, frame) in injected {
            self.enter(side, now, frame, Duration::ZERO, effects);
        }
    }

    /// Puts a frame into the queue of one direction.
    fn enter(
        &mut self,
        side: usize,
        now: Time,
        mut frame: Frame,
        late: Duration,
        effects: &mut Effects,
    ) {
        if frame.bytes.len() < SHORTEST_FRAME {
            frame.bytes.resize(SHORTEST_FRAME, 0);
        }
        let lane = (self.number * 2 + side) as u32;
        let way = &mut self.ways[side];
        match &mut way.discipline {
            None => way.occupy(lane, now, frame, late, effects),
            Some(discipline) => {
                discipline.enqueue(now, frame, &mut effects.drops);
                way.go_on(lane, now, effects);
            }
        }
    }

    /// The line of one direction is free: the next frame of its queue continues.
    pub fn on_line_free(&mut self, side: usize, now: Time, effects: &mut Effects) {
        let lane = (self.number * 2 + side) as u32;
        if self.ways[side].line_due == Some(now) {
            self.ways[side].line_due = None;
            self.ways[side].go_on(lane, now, effects);
        }
    }
}

impl LinkDirection {
    fn new(medium: LinkProperties) -> LinkDirection {
        LinkDirection {
            medium,
            busy_until: Time(0),
            in_flight: VecDeque::new(),
            due: None,
            discipline: None,
            line_due: None,
            carried: 0,
        }
    }

    /// Replaces the queue; what waited in the one before is lost.
    pub fn set_discipline(&mut self, discipline: Option<Box<dyn Discipline>>) {
        self.discipline = discipline;
    }

    /// Frames that are on their way or wait.
    pub fn held(&self) -> usize {
        self.in_flight.len() + self.discipline.as_ref().map_or(0, |it| it.len())
    }

    /// Takes the line for one frame behind those that wait; the arrival is that of its last byte.
    fn occupy(
        &mut self,
        lane: u32,
        now: Time,
        frame: Frame,
        late: Duration,
        effects: &mut Effects,
    ) {
        let waits = self.busy_until.since(now).max(Duration::ZERO);
        if i128::from(waits.0) * i128::from(self.medium.rate)
            > i128::from(self.medium.queue) * 8_000_000_000
        {
            return effects.drops.push("the queue is full");
        }
        let takes = self.medium.serialization(frame.bytes.len());
        self.busy_until = now.after(waits).after(takes);
        let at = self.busy_until.after(self.medium.delay).after(late);
        self.depart(lane, at, frame, effects);
    }

    /// Sends what waits in the discipline, if the line is free.
    fn go_on(&mut self, lane: u32, now: Time, effects: &mut Effects) {
        let Some(discipline) = &mut self.discipline else {
            return;
        };
        if self.busy_until <= now
            && let Some(frame) = discipline.dequeue(now, &mut effects.drops)
        {
            self.busy_until = now.after(self.medium.serialization(frame.bytes.len()));
            let at = self.busy_until.after(self.medium.delay);
            self.depart(lane, at, frame, effects);
        }
        let waits = self.discipline.as_ref().is_some_and(|it| it.len() > 0);
        if waits && self.line_due.is_none() {
            self.line_due = Some(self.busy_until);
            effects
                .events
                .push((self.busy_until, EventSource::Line(lane)));
        }
    }

    fn depart(&mut self, lane: u32, at: Time, frame: Frame, effects: &mut Effects) {
        self.carried += (frame.bytes.len() + FRAME_OVERHEAD) as u64 * 8;
        let behind = self
            .in_flight
            .iter()
            .rev()
            .take_while(|it| it.0 > at)
            .count();
        let place = self.in_flight.len() - behind;
        self.in_flight.insert(place, (at, frame));
        if place == 0 {
            self.due = Some(at);
            effects.events.push((at, EventSource::Lane(lane)));
        }
    }

    /// The frame that arrives at `now`, if the event is not stale, and when the next one does.
    pub fn arrive(&mut self, now: Time) -> Option<(Frame, Option<Time>)> {
        if self.due != Some(now) {
            return None;
        }
        let (_, frame) = self.in_flight.pop_front()?;
        self.due = self.in_flight.front().map(|it| it.0);
        Some((frame, self.due))
    }
}
