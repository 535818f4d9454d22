//! `comment-sign`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Report, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0102",
    name: "comment-sign",
    severity: Severity::Error,
    title: "a comment sign of another language",
    explanation: "Comments start with `# ` and go on to the end of the line. `//` is never an operator either: `/` divides and gives a float, `div(a, b)` is whole-number division. Between layers of a stack stands one `/`.",
    bad: r#"x = 5 // five
print("${x}")
"#,
    mended: r#"x = 5 # five
print("${x}")
"#,
};

/// `//` or `/*`, where a comment was meant.
pub(crate) fn at(place: Span, written: &str) -> Report {
    Report::new(&DIAGNOSTIC, place, format!("`{written}` starts no comment"))
        .suggest("comments start with `# `", place, "#")
        .help("whole-number division is `div(a, b)`")
}

/// `IP//UDP`
pub(crate) fn between_layers(place: Span) -> Report {
    Report::new(&DIAGNOSTIC, place, "one `/` stands between two layers").fix(
        "write one `/`",
        place,
        "/",
    )
}

/// `7 // 2`: `whole` is all of it, `written` the call.
pub(crate) fn division(place: Span, whole: Span, written: String) -> Report {
    Report::new(&DIAGNOSTIC, place, "`//` is no operator").suggest(
        format!("whole-number division is `{written}`"),
        whole,
        written,
    )
}
