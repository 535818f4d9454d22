//! `operator-types`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0302",
    name: "operator-types",
    severity: Severity::Error,
    title: "an operator does not take these types",
    explanation: "Numbers compute with numbers of their kind, durations with durations and numbers, times with durations, bytes and strings join their like, bytes repeat by an int, addresses move by an int.",
    bad: r#"x = 10ms * 20ms
print(x)
"#,
    mended: r#"x = 10ms * 20
print(x)
"#,
};
