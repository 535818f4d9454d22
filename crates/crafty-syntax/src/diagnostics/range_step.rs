//! `range-step`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0136",
    name: "range-step",
    severity: Severity::Error,
    title: "a slice with a step",
    explanation: "A slice is `b[from:to]`. Either end may be omitted, and there is no step.",
    bad: r#"b = #01020304
print("${hex(b[0:4 :2])}")
"#,
    fixed: r#"b = #01020304
print("${hex(b[0:4])}")
"#,
};

/// `place` is the second `:`.
pub(crate) fn at(place: Span) -> Occurrence {
    Occurrence::new(&DIAGNOSTIC, place, "a slice cannot have a step").help("write `b[from:to]`")
}
