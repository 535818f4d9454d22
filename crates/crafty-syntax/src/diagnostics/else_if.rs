//! `else-if`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0146",
    name: "else-if",
    severity: Severity::Error,
    title: "`elif`",
    explanation: "Write a further condition as `else if`.",
    bad: r#"n = 1
if n == 1 { print("one") } elif n == 2 { print("two") }
"#,
    fixed: r#"n = 1
if n == 1 { print("one") } else if n == 2 { print("two") }
"#,
};

/// `word` is after the block of an `if`.
pub(crate) fn at(place: Span, word: &str) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("write `else if` instead of `{word}`"),
    )
    .fix("write `else if`", place, "else if")
}
