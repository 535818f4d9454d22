//! `index-declare`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Report, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0125",
    name: "index-declare",
    severity: Severity::Error,
    title: "`=` where `:=` assigns",
    explanation: "`=` declares a new name. What exists is changed with `:=`, `+=` or `-=`, also an element of an array or map.",
    bad: r#"m = map(key=0, default=0)
m[1] = 2
print("${m[1]}")
"#,
    mended: r#"m = map(key=0, default=0)
m[1] := 2
print("${m[1]}")
"#,
};

/// `place` is the `=` after `element`.
pub(crate) fn at(place: Span, element: &str) -> Report {
    Report::new(
        &DIAGNOSTIC,
        place,
        format!("`{element}` is changed with `:=`"),
    )
    .fix("write `:=`", place, ":=")
}
