//! `unknown-function`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0203",
    name: "unknown-function",
    severity: Severity::Error,
    title: "there is no such function",
    explanation: "The functions are few, and each does one thing that a diagnosis needs; programs define none of their own. `crafty manual` lists them.",
    bad: r#"print(len([1, 2]))
"#,
    mended: r#"print(length([1, 2]))
"#,
};
