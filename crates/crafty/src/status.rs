//! Exit statuses, one row each. Documented, stable, and read by the manual.

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
/// The machine lacks something.
pub const ENVIRONMENT: u8 = 5;

/// All statuses.
pub static STATUSES: &[Status] = &[
    Status {
        code: DONE,
        meaning: "done",
    },
    Status {
        code: FAILED,
        meaning: "a `fail`, an `assert` or an unhandled error of the program, or under `--replay` a program that left its recording",
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
        code: 4,
        meaning: "frames were dropped by the gate (budget or permission)",
    },
    Status {
        code: ENVIRONMENT,
        meaning: "the machine lacks something (said what, and the fix)",
    },
    Status {
        code: 6,
        meaning: "`max_duration` was over, or the run was cancelled",
    },
];
