//! `range-place`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0314",
    name: "range-place",
    severity: Severity::Error,
    title: "a range where none is allowed",
    explanation: "A range `a..b` includes both ends, and can be used only after `in` and in `foreach`.",
    bad: r#"print(3 == 1..5)
"#,
    fixed: r#"print(3 in 1..5)
"#,
};
