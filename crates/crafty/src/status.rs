//! Exit statuses, one row each. Documented, stable, and read by the manual.

use crafty_run::Ending;

/// An exit status with its meaning.
pub struct Status {
    /// The number.
    pub code: u8,
    /// One line.
    pub meaning: &'static str,
}

/// Done.
pub const DONE: u8 = 0;
/// A `fail`, an `assert` or an unhandled error of the program.
pub const FAILED: u8 = 1;
/// Usage, or mistakes in the program.
pub const USAGE: u8 = 2;
/// Refused by the operator's policy.
pub const REFUSED: u8 = 3;
/// The host lacks something.
pub const ENVIRONMENT: u8 = 5;

/// The gate dropped frames.
pub const DROPPED: u8 = 4;
/// `max_duration` was over, or the run was cancelled.
pub const STOPPED: u8 = 6;

/// The status of a program that ended so.
pub fn of(ending: Ending) -> u8 {
    match ending {
        Ending::Done => DONE,
        Ending::Failed | Ending::Diverged => FAILED,
        Ending::Dropped => DROPPED,
        Ending::Unreachable => ENVIRONMENT,
        Ending::Stopped | Ending::NoProgress => STOPPED,
    }
}

/// The status of a run: that of the program that ended worst.
pub fn of_run(endings: impl Iterator<Item = Ending>) -> u8 {
    const WORST_LAST: [u8; 5] = [DONE, DROPPED, STOPPED, FAILED, ENVIRONMENT];
    let rank = |status: &u8| WORST_LAST.iter().position(|known| known == status);
    endings.map(of).max_by_key(rank).unwrap_or(DONE)
}

/// All statuses.
pub static STATUSES: &[Status] = &[
    Status {
        code: DONE,
        meaning: "done",
    },
    Status {
        code: FAILED,
        meaning: "a `fail`, an `assert` or an unhandled error of the program, or under `--replay` a program that diverged from the recording",
    },
    Status {
        code: USAGE,
        meaning: "wrong usage, or mistakes in the program: nothing was sent",
    },
    Status {
        code: REFUSED,
        meaning: "refused by the operator's policy: nothing was sent",
    },
    Status {
        code: DROPPED,
        meaning: "frames were not sent (budget, permission)",
    },
    Status {
        code: ENVIRONMENT,
        meaning: "this host lacks something (the message says what, and the fix)",
    },
    Status {
        code: STOPPED,
        meaning: "`max_duration` was over, or the run was cancelled",
    },
];
