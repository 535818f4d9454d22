//! `missing-brace`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0157",
    name: "missing-brace",
    severity: Severity::Error,
    title: "a `{` without its `}`",
    explanation: "Every block and every group of settings ends with `}`. If the indentation shows which block is not closed, the message points at that one.",
    bad: r#"if 1 < 2 {
  print("yes")
"#,
    fixed: r#"if 1 < 2 {
  print("yes")
}
"#,
};

/// The `{` at `place` is open at `end`.
pub(crate) fn at(place: Span, end: Span) -> Occurrence {
    Occurrence::new(&DIAGNOSTIC, place, "this `{` is never closed")
        .suggest("close it", end, "\n}")
        .note(end, "nothing closes it up to here")
}
