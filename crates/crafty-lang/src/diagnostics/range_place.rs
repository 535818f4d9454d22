//! `range-place`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0314",
    name: "range-place",
    severity: Severity::Error,
    title: "a range where none can stand",
    explanation: "A range `a..b` has both ends included and stands only after `in` and in `foreach`.",
    bad: r#"print(3 == 1..5)
"#,
    mended: r#"print(3 in 1..5)
"#,
};
