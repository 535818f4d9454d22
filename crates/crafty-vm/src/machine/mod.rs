//! The machine: a program at work, driven by packets, stamps and times.

pub(crate) mod start;
pub(crate) mod tally;
pub(crate) mod timers;

use crate::api::{Environment, Event, FrameId, Outcome, Packet, Report, Stamp, Transmit};
use crate::building::crafted_flows::CraftedFlows;
use crate::building::identification::Identifications;
use crate::building::prepared_frame::PreparedFrame;
use crate::receiving::inbox::ExpectInbox;
use crate::execution::memory::Variables;
use crate::execution::packets::PacketTable;
use crate::execution::steps::Code;
use crate::execution::thread::Thread;
use crate::machine::start::StartPhase;
use crate::machine::tally::OccurrenceCounts;
use crate::receiving::reception::{FrameDelivery, Listener};
use crate::sending::uplink::FrameAwaitingNeighbour;
use crate::sending::rules::OutRules;
use crate::sending::outbox::FrameOutbox;
use crate::stacks::blocks::OpenBlocks;
use crafty_lang::check::Bound;
use crafty_lang::ir::Program;
use crafty_stack::Neighbours;
use crafty_value::Time;
use std::collections::VecDeque;
use std::sync::Arc;

/// A program at work.
///
/// Hand in packets by ascending time, stamps as they come, and the time when
/// [`Machine::poll_timeout`] asks for it. After each call ask [`Machine::poll_transmit`] and
/// [`Machine::poll_event`] until they have nothing, and [`Machine::outcome`] whether it is over.
#[derive(Debug)]
pub struct Machine {
    pub(crate) program: Arc<Program>,
    pub(crate) code: Arc<Code>,
    pub(crate) environment: Environment,
    pub(crate) memory: Variables,
    pub(crate) packets: PacketTable,
    pub(crate) stacks: OpenBlocks,
    pub(crate) outbox: FrameOutbox,
    pub(crate) neighbours: Neighbours,
    pub(crate) places: OccurrenceCounts,
    /// Neighbours that are still being resolved before program time 0.
    pub(crate) start: Option<StartPhase>,
    pub(crate) main: Thread,
    pub(crate) handler: Option<Thread>,
    pub(crate) watches: Vec<Listener>,
    /// Rules about what the stacks send by themselves.
    pub(crate) interposed: OutRules,
    pub(crate) inbox: ExpectInbox,
    pub(crate) incoming: VecDeque<Packet>,
    pub(crate) delivery: Option<FrameDelivery>,
    /// Frames that wait for a neighbour.
    pub(crate) pending: Vec<FrameAwaitingNeighbour>,
    pub(crate) crafted: CraftedFlows,
    /// Frames of sends that are ready for the next time, by site.
    pub(crate) prepared: Vec<Option<Box<PreparedFrame>>>,
    pub(crate) identifications: Identifications,
    /// The latest moment that the machine has heard of.
    pub(crate) clock: Time,
    /// Up to when all packets have been handed in.
    pub(crate) horizon: Time,
    pub(crate) deadline: Time,
    /// By site: whether anything received may decide that it sends, or when.
    pub(crate) reactive: Vec<bool>,
    /// How the program is about to end, while its streams close.
    pub(crate) last_words: Option<EndReason>,
    pub(crate) ending: Option<Outcome>,
    pub(crate) events: VecDeque<Event>,
    pub(crate) report: Report,
}

/// Why a program ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EndReason {
    Done,
    Failed(String),
    /// The way to a destination is lacking: the machine's fault, not the program's.
    NoWay(String),
    TimeOut,
    Cancelled,
}

impl Machine {
    /// A machine that resolves the neighbours it will need, and then runs `program` from program
    /// time 0 on.
    pub fn new(program: Program, bound: Bound, environment: Environment, start: Time) -> Machine {
        crate::machine::start::machine(program, bound, environment, start)
    }

    /// A frame was received. Packets come by ascending time.
    pub fn handle_packet(&mut self, received: Packet) {
        self.clock = self.clock.max(received.time);
        if self.ending.is_none() {
            self.incoming.push_back(received);
            self.run();
        }
    }

    /// A frame of ours was on the wire.
    pub fn handle_stamp(&mut self, frame: FrameId, stamp: Stamp) {
        let packets = self.outbox.stamped(frame);
        if packets.is_empty() {
            // Nothing of the program can ask for it.
            return;
        }
        for packet in packets {
            self.packets.stamp(packet, frame, stamp);
        }
        self.check_stacks();
        self.run();
    }

    /// It is `now`, and every packet that was received up to `now` has been handed in.
    pub fn handle_timeout(&mut self, now: Time) {
        self.clock = self.clock.max(now);
        self.horizon = self.horizon.max(now);
        self.run();
    }

    /// So many packets were lost between wire and capture: from here on the `else` of an `expect`
    /// is uncertain.
    pub fn handle_lost_capture(&mut self, count: u64) {
        self.report.lost_captures = self.report.lost_captures.saturating_add(count);
        self.inbox.uncertain |= count > 0;
    }

    /// The next frame to send.
    pub fn poll_transmit(&mut self) -> Option<Transmit> {
        self.outbox.poll()
    }

    /// When the machine wants to hear of the time, if nothing comes before.
    pub fn poll_timeout(&self) -> Option<Time> {
        match (&self.ending, self.awaited_stamp()) {
            (Some(_), _) => None,
            (None, Some((_, until))) => Some(until),
            (None, None) if self.goes_on() => Some(self.horizon),
            (None, None) => self.next_timer().map(|t| t.max(self.horizon)),
        }
    }

    /// Whether it waits for nothing: it stopped so that its frames are taken and the world has its
    /// turn.
    pub fn goes_on(&self) -> bool {
        self.start.is_none() && self.line().wait.is_none()
    }

    /// The next thing said.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Secrets of TLS sessions made since this was asked last, as lines of an `SSLKEYLOGFILE`: they
    /// make a capture of the run readable.
    pub fn poll_secrets(&mut self) -> Option<String> {
        Some(self.stacks.take_secrets()).filter(|lines| !lines.is_empty())
    }

    /// How it ended, once it has.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.ending.as_ref()
    }

    /// The figures so far.
    pub fn report(&self) -> Report {
        let mut report = self.report.clone();
        report.sent = self.outbox.sent;
        report.untaken_bytes = self.stacks.connections.untaken;
        self.places.fill(&mut report);
        report
    }

    /// Ends the program as soon as it can: status 6.
    pub fn cancel(&mut self) {
        if self.ending.is_none() {
            self.last_words = Some(EndReason::Cancelled);
            self.stacks.cut_all(self.clock);
            self.finish();
        }
    }

    /// Goes on until everything waits for the world.
    pub(crate) fn run(&mut self) {
        while self.ending.is_none() {
            if self.start.is_some() {
                if !self.go_on_starting() {
                    return;
                }
                continue;
            }
            let waits = self.run_line();
            self.flush();
            if !waits || self.ending.is_some() || !self.advance() {
                return;
            }
        }
    }

    /// Lets one thing happen, if one is due. False if the machine must hear more first.
    fn advance(&mut self) -> bool {
        if let Some((packet, until)) = self.awaited_stamp() {
            return self.settle(packet, until);
        }
        if self.delivery.is_some() {
            self.go_on_delivering();
            return true;
        }
        if self.show_own_segment() {
            return true;
        }
        let due = self.next_timer();
        match (self.incoming.front().map(|p| p.time), due) {
            (Some(packet), due) if due.is_none_or(|due| packet <= due) => {
                self.receive();
                true
            }
            (packet, Some(due)) if packet.is_some() || due <= self.horizon => {
                self.fire(due);
                true
            }
            _ => false,
        }
    }

    /// The line of execution that runs.
    pub(crate) fn line(&self) -> &Thread {
        self.handler.as_ref().unwrap_or(&self.main)
    }

    /// The line of execution that runs.
    pub(crate) fn line_mut(&mut self) -> &mut Thread {
        self.handler.as_mut().unwrap_or(&mut self.main)
    }

    pub(crate) fn say(&mut self, event: Event) {
        self.events.push_back(event);
    }

    /// The end. Several statuses: 1 over 6 over 4 over 0; a way that is lacking ended the program
    /// before any of them.
    pub(crate) fn finish(&mut self) {
        let ending = self.last_words.clone().unwrap_or(EndReason::Done);
        let dropped = self.places.any_dropped();
        let (status, why) = match ending {
            EndReason::Failed(why) => (1, Some(why)),
            EndReason::NoWay(why) => (5, Some(why)),
            _ if self.places.any_error() => (1, Some("errors that nothing took".to_string())),
            EndReason::TimeOut => (6, Some("`max_duration` is over".to_string())),
            EndReason::Cancelled => (6, Some("cancelled".to_string())),
            EndReason::Done if dropped => (4, Some("the gate dropped packets".to_string())),
            EndReason::Done => (0, None),
        };
        self.flush();
        self.reset_half_open();
        self.handler = None;
        self.delivery = None;
        self.incoming.clear();
        self.ending = Some(Outcome {
            status,
            time: self.main.time,
            why,
        });
    }
}
