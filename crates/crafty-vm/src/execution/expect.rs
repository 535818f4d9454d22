//! `expect`: the inbox of rounds, arms in order, the deadline on packet time.

use crate::api::Event;
use crate::execution::steps::{ExpectHead, Instruction, ProgramCounter};
use crate::execution::thread::Wait;
use crate::execution::thread::WaitingExpect;
use crate::machine::Machine;
use crate::receiving::admitted::AdmittedFrame;
use crate::receiving::pattern::EvaluatedPattern;
use crate::receiving::reception::AttemptResult;
use crafty_lang::ir::{Arm, Span};
use crafty_value::Time;
use std::sync::Arc;

impl Machine {
    /// Starts to wait, unless something in the inbox matches: oldest first.
    pub(crate) fn start_expecting(&mut self, expecting: WaitingExpect) {
        self.threads.main.wait = Some(Wait::Expect(Box::new(expecting)));
        let mut at = 0;
        while let Some(heard) = self.reception.inbox.heard.get(at).cloned() {
            if self.offer(&heard) {
                self.reception.inbox.take(at);
                return;
            }
            at += 1;
        }
        self.offer_streams(self.threads.main.time);
    }

    /// A packet that handlers have seen goes to the inbox, or to the `expect` that waits.
    pub(crate) fn show_to_expect(&mut self, heard: &Arc<AdmittedFrame>) -> bool {
        if !self.script.code.expects {
            return false;
        }
        let taken = matches!(self.threads.main.wait, Some(Wait::Expect(_)))
            && self.in_round(heard)
            && self.offer(heard);
        if !taken && !self.reception.inbox.keep(heard) {
            self.journal.report.inbox_overflow += 1;
        }
        taken
    }

    fn in_round(&self, heard: &AdmittedFrame) -> bool {
        self.reception
            .inbox
            .since
            .is_none_or(|since| heard.about.time >= since)
    }

    /// Tries the arms of the waiting `expect` in order. True if one took the packet.
    fn offer(&mut self, heard: &Arc<AdmittedFrame>) -> bool {
        let until = self.threads.main.time.max(heard.about.time);
        self.offer_to_arms(until, |machine, pattern, arm| {
            machine.try_arm(pattern, arm, heard)
        })
    }

    /// Tries the arms on data of streams that no `expect` has taken yet.
    pub(crate) fn offer_streams(&mut self, now: Time) {
        self.offer_to_arms(now, Machine::try_unread);
    }

    /// Tries the arms in order, and as long as messages of streams are passed over, all of them
    /// again on the next ones: the oldest message that any arm takes counts.
    fn offer_to_arms(
        &mut self,
        time: Time,
        attempt: impl Fn(&mut Machine, &mut EvaluatedPattern, &Arm) -> AttemptResult,
    ) -> bool {
        let Some(Wait::Expect(mut expecting)) = self.threads.main.wait.take() else {
            return false;
        };
        let code = Arc::clone(&self.script.code);
        let Instruction::Expect(op) = &code.ops[expecting.pc] else {
            return false;
        };
        let mut passed = true;
        while core::mem::take(&mut passed) {
            for (pattern, (arm, body)) in expecting.patterns.iter_mut().zip(&op.arms) {
                match attempt(self, pattern, arm) {
                    AttemptResult::Hit(hit) => {
                        self.take_arm(hit.peer, *body, time);
                        return true;
                    }
                    AttemptResult::Passed => passed = true,
                    AttemptResult::Missed => {}
                }
            }
        }
        self.threads.main.wait = Some(Wait::Expect(expecting));
        false
    }

    fn take_arm(
        &mut self,
        peer: Option<crate::stacks::peer::BlockPeer>,
        body: ProgramCounter,
        time: Time,
    ) {
        self.reception.taken += 1;
        self.threads.main.time = time;
        self.threads.main.pc = body;
        self.threads.main.peer = peer;
        self.threads.main.wait = None;
        self.reception.inbox.over = true;
    }

    /// An `else` that is taken because nothing was asked says so, once a place.
    fn tell_unsent(&mut self, span: Span) {
        let Some((line, why)) = self.reception.inbox.unsent.clone() else {
            return;
        };
        if self.journal.occurrences.unasked(span) {
            let time = self.threads.main.time;
            self.journal.record(Event::Unasked {
                line,
                why: why.to_string(),
                span,
                time,
            });
        }
    }

    /// The deadline of the waiting `expect` is over, and all packets up to it have been seen.
    pub(crate) fn expect_timed_out(&mut self, expecting: &WaitingExpect) {
        let code = Arc::clone(&self.script.code);
        let Instruction::Expect(op) = &code.ops[expecting.pc] else {
            return;
        };
        let ExpectHead { otherwise, end, .. } = &**op;
        self.threads.main.time = self.threads.main.time.max(expecting.deadline);
        self.threads.main.pc = otherwise.unwrap_or(*end);
        self.threads.main.wait = None;
        self.reception.inbox.over = true;
        if !(op.asks && self.asks_again()) {
            self.tell_unsent(code.spans[expecting.pc]);
            self.tell_misses(expecting);
        }
        if self.reception.inbox.uncertain {
            let (span, time) = (code.spans[expecting.pc], self.threads.main.time);
            self.journal.report.uncertain += 1;
            self.journal.record(Event::Uncertain { span, time });
        }
    }
}
