//! `try-alone`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0152",
    name: "try-alone",
    severity: Severity::Error,
    title: "`try` without `else`",
    explanation: "`try { } else e { }` needs its `else`, which says what happens if the block fails.",
    bad: r#"try { x = div(1, 0) }
"#,
    fixed: r#"try { x = div(1, 0) } else e { print("failed: ${e.kind}") }
"#,
};

/// `end` is behind the block of the `try` at `place`.
pub(crate) fn at(place: Span, end: Span) -> Occurrence {
    Occurrence::new(&DIAGNOSTIC, place, "`try` needs its `else`").suggest(
        "add what happens if it fails",
        end,
        " else e { print(\"failed: ${e.kind}\") }",
    )
}
