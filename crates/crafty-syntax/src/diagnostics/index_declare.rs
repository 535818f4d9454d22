//! `index-declare`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0125",
    name: "index-declare",
    severity: Severity::Error,
    title: "`=` where `:=` assigns",
    explanation: "`=` declares a new name. To change a variable, or an element of an array or map, use `:=`, `+=` or `-=`.",
    bad: r#"m = map(key=0, default=0)
m[1] = 2
print("${m[1]}")
"#,
    fixed: r#"m = map(key=0, default=0)
m[1] := 2
print("${m[1]}")
"#,
};

/// `place` is the `=` after `element`.
pub(crate) fn at(place: Span, element: &str) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("use `:=` to change `{element}`"),
    )
    .fix("write `:=`", place, ":=")
}
