//! `unit-missing`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0307",
    name: "unit-missing",
    severity: Severity::Error,
    title: "a plain number where a duration is needed",
    explanation: "Durations have a unit, written without a space: `ns us ms s min h`. To turn a number into a duration, multiply: `n * 1ms`.",
    bad: r#"wait 5
"#,
    fixed: r#"wait 5s
"#,
};
