//! `single-quotes`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0116",
    name: "single-quotes",
    severity: Severity::Error,
    title: "a string in single quotes",
    explanation: "Write strings in double quotes.",
    bad: r#"print('hello')
"#,
    fixed: r#"print("hello")
"#,
};

/// `inside` is between single quotes.
pub(crate) fn at(place: Span, inside: &str) -> Occurrence {
    let escaped = inside.replace('"', "\\\"");
    Occurrence::new(&DIAGNOSTIC, place, "strings need double quotes").fix(
        "write",
        place,
        format!("\"{escaped}\""),
    )
}
