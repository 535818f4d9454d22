//! What the ledger has set aside for one run: all that its program may send. What the run did not use
//! is given back when it ends; a run that is killed gives nothing back.

use super::journal;
use super::record::{JournalEntry, JournalMoment, JournalRecord};
use crate::load::LoadedProgram;
use crate::review::Review;
use crafty_policy::Quota;
use std::fs::File;

/// What was set aside for a run.
#[derive(Debug)]
pub struct Reservation {
    /// When it was set aside: it is given back as of then, and both are forgotten together.
    at: JournalMoment,
    run: String,
    quota: Quota,
    sent: Quota,
    returns: Option<File>,
}

/// The most that a program may send: its worst case where that is known, else its budget.
pub(super) fn most(program: &LoadedProgram) -> Quota {
    let (worst, budget) = (Review::of(program).worst, &program.bound.policy.budget);
    let syns = match worst.by_budget {
        true => budget.max_syns,
        false => worst.syns.1.min(budget.max_syns),
    };
    Quota {
        packets: worst.all_packets,
        bytes: worst.all_bytes,
        syns,
    }
}

impl Reservation {
    pub(super) fn new(
        at: JournalMoment,
        run: String,
        quota: Quota,
        returns: Option<File>,
    ) -> Reservation {
        Reservation {
            at,
            run,
            quota,
            sent: Quota::NOTHING,
            returns,
        }
    }

    /// Whether a frame of this cost may still leave.
    pub fn has_room(&self, cost: Quota) -> bool {
        let sent = self.sent.with(cost, u64::saturating_add);
        sent.with(self.quota, u64::min) == sent
    }

    /// A frame of this cost has left, or was lost on its way out.
    pub fn note(&mut self, cost: Quota) {
        self.sent = self.sent.with(cost, u64::saturating_add);
    }

    pub(super) fn record(&self) -> JournalRecord {
        JournalRecord {
            at: self.at.clone(),
            entry: JournalEntry::Reserved {
                run: self.run.clone(),
                quota: self.quota,
            },
        }
    }

    /// The run has ended. What cannot be noted stays set aside: that is the safe side.
    pub fn end(self) {
        let unused = self.quota.with(self.sent, u64::saturating_sub);
        if let Some(file) = &self.returns {
            let entry = JournalEntry::Returned {
                run: self.run,
                quota: unused,
            };
            let _ = journal::append(file, &[JournalRecord { at: self.at, entry }]);
        }
    }
}
