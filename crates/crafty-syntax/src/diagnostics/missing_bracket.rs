//! `missing-bracket`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0158",
    name: "missing-bracket",
    severity: Severity::Error,
    title: "a bracket without its partner",
    explanation: "`(` and `[` must be closed in the same statement; inside them line ends are ignored.",
    bad: r#"x = div(7, 2
print("${x}")
"#,
    fixed: r#"x = div(7, 2)
print("${x}")
"#,
};

/// The bracket `open` at `place` is open at `end`, where `close` would fit.
pub(crate) fn at(place: Span, open: &str, close: &str, end: Span) -> Occurrence {
    Occurrence::new(&DIAGNOSTIC, place, format!("this `{open}` is never closed")).suggest(
        format!("write `{close}`"),
        end,
        close,
    )
}
