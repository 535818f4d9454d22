//! What falls due: waits, the deadline, stamps that do not come, the timers of the stacks.

use crate::api::Event;
use crate::api::{Stamp, StampSource};
use crate::execution::halt::{Halt, RaisedError};
use crate::execution::packets::PacketEntry;
use crate::execution::thread::{ExecutionScope, Wait};
use crate::machine::Machine;
use crate::machine::conclusion::EndReason;
use crate::stacks::error::BlockError;
use crate::stacks::tcp::STREAM_STAMP_WAIT;
use crafty_lang::eval::SizeExcess;
use crafty_lang::ir::StackId;
use crafty_lang::ir::{ErrorKind, Span};
use crafty_value::Time;

impl Machine {
    /// The stamp that the current line of execution cannot go on without, and until when it is
    /// awaited.
    pub(crate) fn awaited_stamp(&self) -> Option<(u64, Time)> {
        match self.threads.running().wait {
            Some(Wait::Stamp { packet }) => Some((packet, self.stamp_until(packet))),
            _ => None,
        }
    }

    fn stamp_until(&self, packet: u64) -> Time {
        let Some(PacketEntry::Sent(sent)) = self.values.packets.get(packet) else {
            return self.clocks.now;
        };
        let missing = sent
            .frames
            .iter()
            .filter(|f| f.stamp.is_none())
            .filter_map(|f| self.uplink.outbox.awaited_until(f.frame?));
        missing.max().unwrap_or(self.clocks.now)
    }

    fn is_stamped(&self, packet: u64) -> bool {
        match self.values.packets.get(packet) {
            Some(PacketEntry::Sent(sent)) => {
                sent.unsent_because().is_some()
                    || !sent.frames.is_empty() && sent.frames.iter().all(|f| f.stamp.is_some())
            }
            _ => true,
        }
    }

    /// Whether a packet has become frames.
    fn is_out(&self, packet: u64) -> bool {
        matches!(self.values.packets.get(packet), Some(PacketEntry::Sent(sent)) if !sent.frames.is_empty())
    }

    /// Whether a packet is known not to have left.
    fn is_unsent(&self, packet: u64) -> bool {
        matches!(self.values.packets.get(packet), Some(PacketEntry::Sent(sent)) if sent.unsent_because().is_some())
    }

    /// A statement reads a stamp that is not there yet: it is made again when the stamp has come.
    pub(crate) fn await_stamp(&mut self, packet: u64) {
        let in_stream = !self.is_out(packet)
            && matches!(self.values.packets.get(packet), Some(PacketEntry::Sent(sent)) if sent.stream);
        if !in_stream {
            self.threads.running_mut().wait = Some(Wait::Stamp { packet });
            return;
        }
        let span = self.script.code.spans[self.threads.running().pc];
        if self.threads.handler.is_some() {
            let message = "this packet is still queued in its stream".to_string();
            return self.raise(RaisedError {
                kind: ErrorKind::Absent,
                message,
                span,
                stack: None,
            });
        }
        if let Err(halt) = self.begin_wait(span) {
            return self.halted(halt);
        }
        let until = self.threads.main.time.after(STREAM_STAMP_WAIT);
        self.threads.main.wait = Some(Wait::StreamStamp { packet, until });
    }

    /// Lets the line go on if the stamp has come, or will not come any more.
    pub(crate) fn resolve_stamp(&mut self, packet: u64, until: Time) -> bool {
        if !self.is_stamped(packet) {
            if self.clocks.now < until {
                return false;
            }
            self.use_clock(packet);
        }
        self.threads.running_mut().wait = None;
        true
    }

    /// Gives the frames of a packet that have no stamp the time at which they were handed out.
    pub(crate) fn use_clock(&mut self, packet: u64) {
        let now = self.clocks.now;
        let Some(sent) = self.values.packets.sent_mut(packet) else {
            return;
        };
        for frame in &mut sent.frames {
            if frame.stamp.is_none() {
                let given_up = frame.frame.and_then(|f| self.uplink.outbox.give_up(f));
                frame.stamp = given_up.or(Some(Stamp {
                    time: now,
                    source: StampSource::Clock,
                }));
            }
        }
    }

    /// When something falls due that is not a packet.
    pub(crate) fn next_timer(&self) -> Option<Time> {
        if let Some(start) = &self.start {
            return start.poll_timeout(self.uplink.neighbours.poll_timeout());
        }
        let wait = self
            .wait_until()
            .map(|t| t.min(self.clocks.deadline.after(crafty_value::Duration(1))));
        let stacks = [
            self.stacks.connections.poll_timeout(),
            self.stacks.session_timeout(),
            self.stacks.reassembly_timeout(),
        ];
        stacks
            .into_iter()
            .chain([
                wait,
                self.uplink.neighbours.poll_timeout(),
                self.out_rules.poll_timeout(),
            ])
            .flatten()
            .min()
    }

    /// When the wait of the main program is over.
    fn wait_until(&self) -> Option<Time> {
        match self.threads.main.wait.as_ref()? {
            Wait::Until(until) | Wait::Opening { until, .. } | Wait::Closing { until, .. } => {
                Some(*until)
            }
            // Once a segment is out, its stamp is awaited as any other.
            Wait::StreamStamp { packet, until } => Some(if self.is_out(*packet) {
                self.stamp_until(*packet).min(*until)
            } else if self.is_unsent(*packet) {
                self.threads.main.time
            } else {
                *until
            }),
            Wait::Expect(expecting) => Some(expecting.deadline),
            Wait::Linger { since } => Some(
                since.after(
                    self.reception
                        .linger_of(self.threads.main.scopes.len())
                        .unwrap_or_default(),
                ),
            ),
            Wait::Stamp { .. } => None,
        }
    }

    /// Something fell due at `due`.
    pub(crate) fn fire(&mut self, due: Time) {
        self.uplink.neighbours.handle_timeout(due);
        let delivered = self.stacks.handle_timeout(due);
        self.send_delayed(due);
        self.flush();
        self.check_stacks();
        if !delivered.is_empty() {
            return self.deliver_late(due, delivered);
        }
        let Some(until) = self.wait_until() else {
            return;
        };
        if until > self.clocks.deadline && due > self.clocks.deadline {
            return self.out_of_time();
        }
        if until <= due {
            self.wait_is_over(until);
        }
    }

    /// `max_duration` is over in the middle of a wait.
    fn out_of_time(&mut self) {
        self.threads.main.time = self.threads.main.time.max(self.clocks.deadline);
        if self.conclusion.reason.is_some() {
            self.stacks.cut_all(self.clocks.now);
            return self.finish();
        }
        if let Some(Wait::Closing { stack, .. }) = self.threads.main.wait {
            self.stacks.cut(stack, self.clocks.now);
            self.threads.main.wait = None;
            return;
        }
        self.reception.inbox.over |= matches!(self.threads.main.wait, Some(Wait::Expect(_)));
        self.threads.main.wait = None;
        let trouble = self.past_deadline(self.threads.main.span);
        self.raise(trouble);
    }

    fn wait_is_over(&mut self, until: Time) {
        let Some(wait) = self.threads.main.wait.take() else {
            return;
        };
        self.threads.main.time = self.threads.main.time.max(until);
        let span = self.threads.main.span;
        match wait {
            Wait::Until(_) | Wait::Stamp { .. } => {}
            Wait::Linger { .. } => self.threads.main.lingered = true,
            Wait::Expect(expecting) => self.expect_timed_out(&expecting),
            Wait::Closing { stack, .. } => self.stacks.cut(stack, self.clocks.now),
            Wait::Opening { stack, .. } => {
                self.raise(RaisedError::of_block(
                    &BlockError::OpeningTooSlow,
                    span,
                    Some(stack),
                ));
            }
            Wait::StreamStamp { packet, .. } if self.is_out(packet) => self.use_clock(packet),
            // The statement is made again, and raises.
            Wait::StreamStamp { packet, .. } if self.is_unsent(packet) => {}
            Wait::StreamStamp { .. } => {
                let stack = self.innermost_stack();
                self.raise(RaisedError::of_block(&BlockError::NotSentYet, span, stack));
            }
        }
    }

    fn innermost_stack(&self) -> Option<StackId> {
        self.threads.main.scopes.iter().rev().find_map(|s| {
            if let ExecutionScope::Stack { id, .. } = s {
                Some(*id)
            } else {
                None
            }
        })
    }

    /// What stacks did meanwhile: a wait for them may be over, or an error of theirs is raised in
    /// the wait under way.
    pub(crate) fn check_stacks(&mut self) {
        let now = self.clocks.now.max(self.threads.main.time);
        let over = match &self.threads.main.wait {
            Some(Wait::Opening { stack, .. }) => {
                self.stacks
                    .is_up(*stack, &mut self.uplink.neighbours, self.clocks.now)
            }
            Some(Wait::Closing { stack, .. }) => self.stacks.connections.are_over(*stack),
            Some(Wait::StreamStamp { packet, .. }) => self.is_stamped(*packet),
            _ => false,
        };
        if over {
            self.threads.main.wait = None;
            self.threads.main.time = now;
            return;
        }
        let waits = self
            .threads
            .main
            .wait
            .as_ref()
            .is_some_and(|w| w.is_waiting_statement() && !matches!(w, Wait::Closing { .. }));
        if let Some(trouble) = waits
            .then(|| self.broken_stack(self.threads.main.span))
            .flatten()
        {
            self.threads.main.time = now;
            self.reception.inbox.over |= matches!(self.threads.main.wait, Some(Wait::Expect(_)));
            self.threads.main.wait = None;
            self.raise(trouble);
        }
    }

    /// An open stack around the main program that broke, outermost first; told once.
    pub(crate) fn broken_stack(&mut self, span: Span) -> Option<RaisedError> {
        if self.threads.handler.is_some() {
            return None;
        }
        let around = self.threads.main.scopes.iter().filter_map(|s| {
            if let ExecutionScope::Stack { id, .. } = s {
                Some(*id)
            } else {
                None
            }
        });
        let (stack, error) = around
            .into_iter()
            .find_map(|id| Some((id, self.stacks.take_break(id)?)))?;
        Some(RaisedError::of_block(&error, span, Some(stack)))
    }

    /// An unhandled error is reported with its place, exit status 1. The deadline and what was not
    /// sent have statuses of their own.
    pub(crate) fn report_error(&mut self, trouble: &RaisedError) {
        let word = trouble.kind.word();
        let first = match trouble.kind {
            ErrorKind::Deadline | ErrorKind::NotSent => {
                self.journal.occurrences.remark(word, trouble.span)
            }
            _ => self.journal.occurrences.error(word, trouble.span),
        };
        if first {
            let time = self.threads.running().time;
            let RaisedError {
                kind,
                message,
                span,
                ..
            } = trouble.clone();
            self.journal.record(Event::Error {
                kind,
                message,
                span,
                time,
            });
        }
    }

    /// A cap that was hit: exit status 1, and nothing is raised.
    pub(crate) fn note_cap(&mut self, excess: SizeExcess) {
        let span = excess.span;
        if self.journal.occurrences.error("cap", span) {
            self.journal.record(Event::Warning {
                message: format!("this statement was skipped: {excess}"),
                span,
            });
        }
    }

    /// Forgets packets that no variable holds.
    pub(crate) fn sweep(&mut self) {
        self.values.sweep();
        let packets = &self.values.packets;
        self.uplink
            .outbox
            .forget(self.clocks.now, |packet| packets.get(packet).is_some());
    }

    /// A program that ended otherwise than by its last statement.
    pub(crate) fn ending_of(trouble: &RaisedError) -> EndReason {
        match trouble.kind {
            ErrorKind::Deadline => EndReason::TimeOut,
            ErrorKind::NotSent => EndReason::NotSent(format!("not_sent: {}", trouble.message)),
            kind @ (ErrorKind::NoRoute | ErrorKind::NoNeighbour) => {
                EndReason::Unreachable(format!("{}: {}", kind.word(), trouble.message))
            }
            kind => EndReason::Failed(format!("{}: {}", kind.word(), trouble.message)),
        }
    }

    /// An error of a stack as a statement gives it.
    pub(crate) fn stack_error(&self, error: BlockError, stack: StackId) -> Halt {
        let span = self.threads.running().span;
        Halt::Error(RaisedError::of_block(&error, span, Some(stack)))
    }
}
