//! Why a run may not begin.

use super::{JournalError, LedgerLeft};
use crate::approval::ApprovalError;
use crate::operator::PolicyError;
use std::fmt;
use std::io;

/// Who says no to a run on a real network, and why.
#[derive(Debug)]
pub enum AdmissionError {
    /// The policy cannot be read.
    Policy(PolicyError),
    /// The program was loaded under another policy, which leaves more.
    OutsidePolicy,
    /// The policy demands an approval, and this is not one.
    NotApproved(ApprovalError),
    /// What runs use cannot be counted.
    Journal(JournalError),
    /// The user's runs have used what the operator gives them together.
    LedgerSpent {
        /// The user.
        user: u32,
        /// What there is too little of.
        row: LedgerLeft,
        /// How much of it the run may send.
        wanted: u64,
    },
    /// The kernel does not tell the name of this host.
    NoHostName(io::Error),
    /// The system has no randomness, or no room for one more open file.
    NoRandomness(io::Error),
}

impl fmt::Display for AdmissionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AdmissionError::Policy(error) => error.fmt(f),
            AdmissionError::OutsidePolicy => {
                f.write_str("this host's policy does not allow this program")
            }
            AdmissionError::NotApproved(error) => write!(
                f,
                "the operator's policy demands an approval (`require_approval`): {error}"
            ),
            AdmissionError::Journal(error) => write!(f, "this run cannot be counted: {error}"),
            AdmissionError::LedgerSpent { user, row, wanted } => write!(
                f,
                "all runs of user {user} together have {row} left, and this one may send {wanted}"
            ),
            AdmissionError::NoHostName(error) => {
                write!(
                    f,
                    "the kernel does not tell which host this is, or since when it runs: {error}"
                )
            }
            AdmissionError::NoRandomness(error) => {
                write!(f, "a run cannot be told from others: {error}")
            }
        }
    }
}

impl std::error::Error for AdmissionError {}

impl AdmissionError {
    /// What to do about it.
    pub fn fix(&self) -> String {
        match self {
            AdmissionError::Policy(error) => error.fix().into(),
            AdmissionError::OutsidePolicy => {
                "load it under this host's policy, or run it with `--lab demo`".into()
            }
            AdmissionError::NotApproved(error) => error.fix().into(),
            AdmissionError::Journal(error) => error.fix(),
            AdmissionError::LedgerSpent { row, .. } => {
                let option = row.what.to_lowercase();
                format!(
                    "wait, or narrow it: `--max-{option} {}`; `--lab demo` takes nothing",
                    row.left
                )
            }
            AdmissionError::NoHostName(_) => "mount /proc".into(),
            AdmissionError::NoRandomness(_) => "look at /dev/urandom and `ulimit -n`".into(),
        }
    }
}

impl From<ApprovalError> for AdmissionError {
    fn from(error: ApprovalError) -> AdmissionError {
        AdmissionError::NotApproved(error)
    }
}

impl From<JournalError> for AdmissionError {
    fn from(error: JournalError) -> AdmissionError {
        AdmissionError::Journal(error)
    }
}
