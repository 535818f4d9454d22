//! `stray-bracket`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0159",
    name: "stray-bracket",
    severity: Severity::Error,
    title: "a closing bracket that closes nothing",
    explanation: "Each `)`, `]` and `}` closes the last open bracket of its kind.",
    bad: r#"print("x")
}
"#,
    fixed: r#"print("x")
"#,
};

/// `text` is the bracket.
pub(crate) fn at(place: Span, text: &str) -> Occurrence {
    Occurrence::new(&DIAGNOSTIC, place, format!("this `{text}` closes nothing")).suggest(
        "remove it",
        place,
        "",
    )
}
