//! `operator-types`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0302",
    name: "operator-types",
    severity: Severity::Error,
    title: "an operator does not take these types",
    explanation: "Operators combine numbers of the same type, durations with durations or numbers, and times with durations. `+` also joins bytes with bytes and strings with strings, and adds an int to an address; `*` repeats bytes.",
    bad: r#"x = 10ms * 20ms
print(x)
"#,
    fixed: r#"x = 10ms * 20
print(x)
"#,
};
