//! `exit-status`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0148",
    name: "exit-status",
    severity: Severity::Error,
    title: "`exit` with a value",
    explanation: "`exit` ends the program successfully. To end it with status 1, write `fail` and the reason.",
    bad: r#"exit 1
"#,
    fixed: r#"fail "why"
"#,
};

/// `exit 1`
pub(crate) fn at(place: Span) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        "`exit` ends the program successfully and takes no value",
    )
    .suggest(
        "to end it with status 1, use `fail` and give the reason",
        place,
        "fail \"why\"",
    )
}
