//! The machine: a running program, driven by packets, stamps and times.

pub(crate) mod clocks;
pub(crate) mod conclusion;
pub(crate) mod declassify;
pub(crate) mod journal;
pub(crate) mod occurrences;
pub(crate) mod script;
pub(crate) mod start;
pub(crate) mod timers;

use crate::api::{Event, FrameId, Outcome, Packet, Reactions, RunReport, Stamp, Transmit};
use crate::building::prepared_frame::PreparedFrame;
use crate::execution::meter::Meter;
use crate::execution::thread::Threads;
use crate::execution::values::Values;
use crate::receiving::reception::Reception;
use crate::sending::rules::OutRules;
use crate::sending::uplink::{StartPhase, Uplink};
use crate::stacks::blocks::OpenBlocks;
use clocks::Clocks;
use conclusion::{Conclusion, EndReason, RunFaults};
use crafty_value::Time;
use journal::Journal;
use script::CompiledProgram;

/// A running program.
///
/// Hand in packets by ascending time, stamps as they come, and the time when
/// [`Machine::poll_timeout`] asks for it. After each call ask [`Machine::poll_transmit`] and
/// [`Machine::poll_event`] until they have nothing, and [`Machine::outcome`] whether it is over.
#[derive(Debug)]
pub struct Machine {
    pub(crate) script: CompiledProgram,
    pub(crate) threads: Threads,
    pub(crate) values: Values,
    pub(crate) stacks: OpenBlocks,
    pub(crate) uplink: Uplink,
    /// Rules about what the stacks send by themselves.
    pub(crate) out_rules: OutRules,
    /// Frames of sends that are ready for the next time, by site.
    pub(crate) prepared: Vec<Option<Box<PreparedFrame>>>,
    pub(crate) reception: Reception,
    pub(crate) clocks: Clocks,
    /// What was computed.
    pub(crate) meter: Meter,
    /// Neighbours that are still being resolved before program time 0.
    pub(crate) start: Option<StartPhase>,
    pub(crate) conclusion: Conclusion,
    pub(crate) journal: Journal,
}

impl Machine {
    /// A frame was received. Packets come by ascending time.
    pub fn handle_packet(&mut self, received: Packet) {
        self.clocks.received(received.time);
        if !self.conclusion.is_over() {
            self.reception.incoming.push_back(received);
            self.run();
        }
    }

    /// A frame of ours was on the wire.
    pub fn handle_stamp(&mut self, frame: FrameId, stamp: Stamp) {
        let packets = self.uplink.outbox.stamped(frame);
        if packets.is_empty() {
            // Nothing of the program can ask for it.
            return;
        }
        for packet in packets {
            self.values.packets.stamp(packet, frame, stamp);
        }
        self.check_stacks();
        self.run();
    }

    /// It is `now`, and every packet that was received up to `now` has been handed in.
    pub fn handle_timeout(&mut self, now: Time) {
        self.clocks.passed(now);
        self.run();
    }

    /// So many packets were lost between wire and capture: from here on the `else` of an `expect`
    /// is uncertain.
    pub fn handle_lost_capture(&mut self, count: u64) {
        self.journal.report.lost_captures = self.journal.report.lost_captures.saturating_add(count);
        self.reception.inbox.uncertain |= count > 0;
    }

    /// The next frame to send.
    pub fn poll_transmit(&mut self) -> Option<Transmit> {
        self.uplink.outbox.poll()
    }

    /// When the machine has a timer due, if nothing comes before.
    pub fn poll_timeout(&self) -> Option<Time> {
        match (&self.conclusion.outcome, self.awaited_stamp()) {
            (Some(_), _) => None,
            (None, Some((_, until))) => Some(until),
            (None, None) if self.goes_on() => Some(self.clocks.horizon),
            (None, None) => self.next_timer().map(|t| t.max(self.clocks.horizon)),
        }
    }

    /// Whether it waits for nothing: it stopped so that its frames are taken and the world has its
    /// turn.
    pub fn goes_on(&self) -> bool {
        self.start.is_none() && self.threads.running().wait.is_none()
    }

    /// The next thing said.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.journal.take()
    }

    /// Secrets of TLS sessions made since this was asked last, as lines of an `SSLKEYLOGFILE`: they
    /// make a capture of the run readable.
    pub fn poll_secrets(&mut self) -> Option<String> {
        Some(self.stacks.take_secrets()).filter(|lines| !lines.is_empty())
    }

    /// How it ended, once it has.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.conclusion.outcome.as_ref()
    }

    /// The figures so far.
    pub fn report(&self) -> RunReport {
        let mut report = self.journal.report();
        report.sent = self.uplink.outbox.sent;
        report.untaken_bytes = self.stacks.connections.untaken;
        report
    }

    /// What the frames that were handed in have led to so far.
    pub fn reactions(&self) -> Reactions {
        let (refused, refusal) = self.uplink.outbox.refused;
        Reactions {
            taken: self.reception.taken,
            refused,
            refusal,
        }
    }

    /// What the program has computed, in the units of [`crafty_lang::eval::cost`]: about a
    /// nanosecond each.
    pub fn computed(&self) -> u64 {
        self.meter.spent()
    }

    /// Ends the program as soon as it can: status 6.
    pub fn cancel(&mut self) {
        if !self.conclusion.is_over() {
            self.conclusion.reason = Some(EndReason::Cancelled);
            self.stacks.cut_all(self.clocks.now);
            self.finish();
        }
    }

    /// Goes on until everything waits for the world.
    pub(crate) fn run(&mut self) {
        while !self.conclusion.is_over() {
            if self.start.is_some() {
                if !self.continue_start() {
                    return;
                }
                continue;
            }
            let waits = self.run_line();
            self.flush();
            if !waits || self.conclusion.is_over() || !self.advance() {
                return;
            }
        }
    }

    /// Lets one thing happen, if one is due. False if the machine needs input first.
    fn advance(&mut self) -> bool {
        if let Some((packet, until)) = self.awaited_stamp() {
            return self.resolve_stamp(packet, until);
        }
        if self.reception.delivery.is_some() {
            self.continue_delivery();
            return true;
        }
        if self.start_out_rule_block() {
            return true;
        }
        let due = self.next_timer();
        match (self.reception.incoming.front().map(|p| p.time), due) {
            (Some(packet), due) if due.is_none_or(|due| packet <= due) => {
                self.receive();
                true
            }
            (packet, Some(due)) if packet.is_some() || due <= self.clocks.horizon => {
                self.fire(due);
                true
            }
            _ => false,
        }
    }

    /// The end.
    pub(crate) fn finish(&mut self) {
        let faults = RunFaults {
            unhandled_errors: self.journal.occurrences.any_error(),
            dropped_packets: self.journal.occurrences.any_dropped(),
        };
        self.tell_all_misses();
        self.flush();
        self.reset_half_open();
        self.threads.handler = None;
        self.reception.delivery = None;
        self.reception.incoming.clear();
        self.conclusion.conclude(self.threads.main.time, faults);
    }
}
