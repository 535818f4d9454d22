//! How a program ended, and what its run amounts to.

use crate::medium::KernelMonitor;
use crafty_vm::{Outcome, RunReport};

/// How a program ended. Who prints decides what exit status that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ending {
    /// It is done.
    Done,
    /// The gate dropped frames: a budget, or a permission that is lacking.
    Dropped,
    /// `max_duration` was over, or the run was cancelled.
    Stopped,
    /// Time did not go on although the program had not ended: a defect of this software.
    NoProgress,
    /// A `fail`, an `assert` or an unhandled error.
    Failed,
    /// It was done, but did something else than what was recorded.
    Diverged,
    /// There is no route or no neighbour on the way to a destination.
    Unreachable,
}

/// All of them.
pub const ENDINGS: [Ending; 7] = [
    Ending::Done,
    Ending::Dropped,
    Ending::Stopped,
    Ending::NoProgress,
    Ending::Failed,
    Ending::Diverged,
    Ending::Unreachable,
];

impl Ending {
    /// Its stable word, for machines.
    pub fn word(self) -> &'static str {
        match self {
            Ending::Done => "done",
            Ending::Dropped => "dropped",
            Ending::Stopped => "stopped",
            Ending::NoProgress => "no_progress",
            Ending::Failed => "failed",
            Ending::Diverged => "diverged",
            Ending::Unreachable => "unreachable",
        }
    }
}

/// The report of one program of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramReport {
    /// The name of its source.
    pub name: String,
    /// How it ended.
    pub ending: Ending,
    /// Why, where it is not [`Ending::Done`].
    pub why: Option<String>,
    /// Its figures.
    pub totals: RunReport,
    /// Whether the kernel repeated the rules of the gate.
    pub kernel_monitor: KernelMonitor,
}

/// Frames of an interface of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InterfaceCounts {
    /// Frames that arrived.
    pub received: u64,
    /// Frames that were lost between the wire and the program.
    pub lost: u64,
}

/// How a machine's outcome is distinguished; its numbers are documented at [`Outcome::status`].
pub(crate) fn ending(outcome: &Outcome) -> Ending {
    match outcome.status {
        0 => Ending::Done,
        4 => Ending::Dropped,
        5 => Ending::Unreachable,
        6 => Ending::Stopped,
        _ => Ending::Failed,
    }
}
