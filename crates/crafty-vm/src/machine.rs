//! The machine: a program at work.

use crate::api::{Bound, Environment, Event, FrameId, Outcome, Packet, Report, Stamp, Transmit};
use crafty_lang::ir::Program;
use crafty_value::Time;
use std::collections::VecDeque;

/// A program at work.
///
/// Hand in packets by ascending time, stamps as they come, and the time when [`Machine::poll_timeout`] asks for it. After each call
/// ask [`Machine::poll_transmit`] and [`Machine::poll_event`] until they have nothing, and [`Machine::outcome`] whether it is over.
#[derive(Debug)]
pub struct Machine {
    program: Program,
    bound: Bound,
    environment: Environment,
    now: Time,
    transmits: VecDeque<Transmit>,
    events: VecDeque<Event>,
    outcome: Option<Outcome>,
    report: Report,
}

impl Machine {
    /// A machine that resolves the neighbours it will need, and then runs `program` from program time 0 on.
    pub fn new(program: Program, bound: Bound, environment: Environment, start: Time) -> Machine {
        let (transmits, events) = (VecDeque::new(), VecDeque::new());
        Machine { program, bound, environment, now: start, transmits, events, outcome: None, report: Report::default() }
    }

    /// A frame was received. Packets come by ascending time.
    pub fn handle_packet(&mut self, received: Packet) {
        self.now = self.now.max(received.time);
    }

    /// A frame of ours was on the wire.
    pub fn handle_stamp(&mut self, _frame: FrameId, stamp: Stamp) {
        self.now = self.now.max(stamp.time);
    }

    /// It is `now`, and every packet that was received up to `now` has been handed in.
    pub fn handle_timeout(&mut self, now: Time) {
        self.now = self.now.max(now);
    }

    /// So many packets were lost between wire and capture: from here on the `else` of an `expect` is uncertain.
    pub fn handle_lost_capture(&mut self, count: u64) {
        self.report.lost_captures += count;
    }

    /// The next frame to send.
    pub fn poll_transmit(&mut self) -> Option<Transmit> {
        self.transmits.pop_front()
    }

    /// When the machine wants to hear of the time, if nothing comes before.
    pub fn poll_timeout(&self) -> Option<Time> {
        None
    }

    /// The next thing said.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// How it ended, once it has.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// The figures so far.
    pub fn report(&self) -> Report {
        self.report.clone()
    }

    /// Ends the program as soon as it can: status 6.
    pub fn cancel(&mut self) {}
}
