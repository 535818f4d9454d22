//! `bang-not`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Report, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0130",
    name: "bang-not",
    severity: Severity::Error,
    title: "`!` as negation",
    explanation: "Negation is the word `not`. `!` makes a layer driven (`TCP!`), excludes in lists of settings (`!192.0.2.1`), and stands in `!=`.",
    bad: r#"done = false
if !done { print("not yet") }
"#,
    mended: r#"done = false
if not done { print("not yet") }
"#,
};

/// `place` is the `!` before `operand`.
pub(crate) fn at(place: Span, operand: &str) -> Report {
    Report::new(
        &DIAGNOSTIC,
        place,
        format!("`!{operand}` is written `not {operand}`"),
    )
    .fix("write `not`", place, "not ")
}
