//! `missing-separator`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0156",
    name: "missing-separator",
    severity: Severity::Error,
    title: "two statements on one line",
    explanation: "A statement ends at the end of its line, or at `;`.",
    bad: r#"x = 1 y = 2
print("${x + y}")
"#,
    fixed: r#"x = 1; y = 2
print("${x + y}")
"#,
};

/// `place` is what lies between the two, `next` the first word of the second.
pub(crate) fn at(place: Span, next: &str) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{next}` starts a second statement on this line"),
    )
    .fix("put `;` or a line end between them", place, "; ")
}
