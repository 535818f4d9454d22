//! `unit-missing`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0307",
    name: "unit-missing",
    severity: Severity::Error,
    title: "a plain number where a time is wanted",
    explanation: "Durations have a unit, written without a space: `ns us ms s min h`. A number becomes one by multiplying: `n * 1ms`.",
    bad: r#"wait 5
"#,
    mended: r#"wait 5s
"#,
};
