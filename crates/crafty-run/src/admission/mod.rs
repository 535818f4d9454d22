//! Who may begin a run on a real network: one question, [`admit_run`], to policy, approval and ledger, and
//! one answer that a [`LiveMedium`](crate::LiveMedium) is made with. There is no other way to send.

mod error;
mod journal;
mod ledger;
mod record;
mod reservation;

pub use error::AdmissionError;
pub use journal::{JOURNAL_FOLDER, JournalError, JournalProblem, JournalTrust, RunJournal};
pub use ledger::LedgerLeft;
pub use record::JournalMoment;
pub use reservation::Reservation;

use crate::approval::{Approval, ApprovalError, host_name, random_id};
use crate::load::LoadedProgram;
use crate::operator::operator_policy;
use crate::review::digest_of;
use crafty_policy::{HostQuotas, Policy};
use journal::OpenJournal;
use record::{JournalEntry, JournalRecord};
use std::path::Path;

/// Where, when and under whose policy a run is about to begin.
#[derive(Clone, Debug)]
pub struct AdmissionDesk {
    /// The name of this host.
    pub host: String,
    /// What time it is.
    pub now: JournalMoment,
    /// The policy of this host, whatever a caller has loaded its program under.
    pub policy: Policy,
    /// What its runs have used.
    pub journal: RunJournal,
}

/// The right to one run of one program. It is used already: a run that crashes has had it.
#[derive(Debug)]
pub struct AdmittedRun {
    digest: String,
    reservation: Option<Reservation>,
    /// What is left of the operator's limits for all runs, this one's share taken off.
    pub left: Vec<LedgerLeft>,
}

impl AdmissionDesk {
    /// Here and now.
    ///
    /// # Errors
    /// If the policy cannot be read, or the kernel does not tell this host's name.
    pub fn of_this_host() -> Result<AdmissionDesk, AdmissionError> {
        Ok(AdmissionDesk {
            host: host_name().map_err(AdmissionError::NoHostName)?,
            now: JournalMoment::now().map_err(AdmissionError::NoHostName)?,
            policy: operator_policy(&[], &[]).map_err(AdmissionError::Policy)?,
            journal: RunJournal::of_this_host(),
        })
    }

    /// What is left to this user of the operator's limits for all runs; none where the policy does
    /// not have runs counted.
    ///
    /// # Errors
    /// If they could not be.
    pub fn left(&self) -> Result<Option<Vec<LedgerLeft>>, JournalError> {
        let quotas = &self.policy.host_quotas;
        if *quotas == HostQuotas::UNLIMITED && self.policy.require_approval.is_none() {
            return Ok(None);
        }
        let records = self.journal.records()?;
        Ok(Some(ledger::left(&records, quotas, &self.now)))
    }
}

/// Lets a run begin, or says why not: its program keeps to this host's policy, somebody whom the policy
/// names has approved it, and the ledger has room for all that it may send. What it takes is counted on
/// the disk before this returns; where the answer is no, nothing is.
///
/// # Errors
/// Who says no, and why.
pub fn admit_run(
    program: &LoadedProgram,
    approval: Option<&Path>,
    desk: &AdmissionDesk,
) -> Result<AdmittedRun, AdmissionError> {
    let policy = &program.bound.policy;
    if !policy.within(&desk.policy) {
        return Err(AdmissionError::OutsidePolicy);
    }
    let digest = digest_of(program);
    let approval = match &policy.require_approval {
        None => None,
        Some(keys) => {
            let approval = Approval::open(approval.ok_or(ApprovalError::NotNamed)?)?;
            approval.signed_by(keys.iter().map(String::as_str))?;
            approval.covers(&digest, &desk.host, desk.now.wall)?;
            Some(approval)
        }
    };
    let quotas = policy.host_quotas;
    if approval.is_none() && quotas == HostQuotas::UNLIMITED {
        return Ok(AdmittedRun {
            digest,
            reservation: None,
            left: Vec::new(),
        });
    }
    let journal = desk.journal.open(&desk.now)?;
    let mut noted = Vec::new();
    if let Some(approval) = &approval {
        noted.push(use_of(approval, &journal, &desk.now)?);
    }
    let mut reservation = None;
    if quotas != HostQuotas::UNLIMITED {
        let own = reserved(program, &journal, desk)?;
        noted.push(own.record());
        reservation = Some(own);
    }
    journal.append(&noted)?;
    let records = [journal.records(), noted].concat();
    Ok(AdmittedRun {
        digest,
        reservation,
        left: ledger::left(&records, &quotas, &desk.now),
    })
}

/// One more run of an approval.
fn use_of(
    approval: &Approval,
    journal: &OpenJournal,
    now: &JournalMoment,
) -> Result<JournalRecord, ApprovalError> {
    let name = approval.name();
    let records = journal.records();
    let of_it = |record: &&JournalRecord| matches!(&record.entry, JournalEntry::Use { approval, .. } if *approval == name);
    let uses: Vec<&JournalRecord> = records.iter().filter(of_it).collect();
    if uses.len() >= approval.terms.runs as usize {
        return Err(ApprovalError::UsedUp(approval.terms.runs));
    }
    // Since then the clock that nobody sets has gone on; what people set must have gone on with it.
    let back = uses
        .iter()
        .map(|used| used.at.wall + span_since(&used.at, now) - now.wall)
        .max();
    if let Some(back) = back.filter(|back| *back > CLOCK_STEP) {
        return Err(ApprovalError::ClockSetBack(back));
    }
    Ok(JournalRecord {
        at: now.clone(),
        entry: JournalEntry::Use {
            approval: name,
            until: approval.terms.not_after,
        },
    })
}

/// Seconds by which a clock is corrected without anybody setting it.
const CLOCK_STEP: i64 = 60;

/// Seconds that have passed at least.
fn span_since(then: &JournalMoment, now: &JournalMoment) -> i64 {
    match then.boot == now.boot {
        true => now.since_boot - then.since_boot,
        false => 0,
    }
}

/// All that a program may send, if there is room for it.
fn reserved(
    program: &LoadedProgram,
    journal: &OpenJournal,
    desk: &AdmissionDesk,
) -> Result<Reservation, AdmissionError> {
    let most = reservation::most(program);
    let quotas = &program.bound.policy.host_quotas;
    let left = ledger::left(&journal.records(), quotas, &desk.now);
    let wanted = |row: &LedgerLeft| {
        let mut rows = most.rows().into_iter();
        rows.find(|(what, _)| *what == row.what)
            .map_or(0, |(_, amount)| amount)
    };
    if let Some(row) = left.into_iter().find(|row| wanted(row) > row.left) {
        let (user, wanted) = (desk.journal.user(), wanted(&row));
        return Err(AdmissionError::LedgerSpent { user, row, wanted });
    }
    let id = random_id().map_err(AdmissionError::NoRandomness)?;
    let returns = journal.returns_to().map_err(AdmissionError::NoRandomness)?;
    Ok(Reservation::new(desk.now.clone(), id, most, returns))
}

impl AdmittedRun {
    /// Whether it is the right to run this program.
    pub fn is_for(&self, program: &LoadedProgram) -> bool {
        self.digest == digest_of(program)
    }

    /// What was set aside for it; none where nobody counts.
    pub fn take_reservation(&mut self) -> Option<Reservation> {
        self.reservation.take()
    }
}
