//! `bang-not`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0130",
    name: "bang-not",
    severity: Severity::Error,
    title: "`!` as negation",
    explanation: "Negation is the word `not`. `!` makes a layer driven (`TCP!`), excludes an address in a setting (`!192.0.2.1`), and is part of `!=`.",
    bad: r#"done = false
if !done { print("not yet") }
"#,
    fixed: r#"done = false
if not done { print("not yet") }
"#,
};

/// `place` is the `!` before `operand`.
pub(crate) fn at(place: Span, operand: &str) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("write `not {operand}` instead of `!{operand}`"),
    )
    .fix("write `not`", place, "not ")
}
