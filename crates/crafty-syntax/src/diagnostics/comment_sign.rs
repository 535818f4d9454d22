//! `comment-sign`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0102",
    name: "comment-sign",
    severity: Severity::Error,
    title: "a comment sign of another language",
    explanation: "A comment starts with `# ` and goes to the end of the line. `//` is not an operator either: `/` divides and gives a float, `div(a, b)` is integer division. Between two layers of a stack write one `/`.",
    bad: r#"x = 5 // five
print("${x}")
"#,
    fixed: r#"x = 5 # five
print("${x}")
"#,
};

/// `//` or `/*`, where a comment was meant.
pub(crate) fn at(place: Span, written: &str) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{written}` does not start a comment"),
    )
    .suggest("comments start with `# `", place, "#")
    .help("for integer division write `div(a, b)`")
}

/// `IP//UDP`
pub(crate) fn between_layers(place: Span) -> Occurrence {
    Occurrence::new(&DIAGNOSTIC, place, "write only one `/` between two layers").fix(
        "write one `/`",
        place,
        "/",
    )
}

/// `7 // 2`: `whole` is all of it, `written` the call.
pub(crate) fn division(place: Span, whole: Span, written: String) -> Occurrence {
    Occurrence::new(&DIAGNOSTIC, place, "`//` is not an operator").suggest(
        format!("for integer division write `{written}`"),
        whole,
        written,
    )
}
