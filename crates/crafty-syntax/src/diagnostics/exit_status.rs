//! `exit-status`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Report, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0148",
    name: "exit-status",
    severity: Severity::Error,
    title: "`exit` with a status",
    explanation: "`exit` ends the program well. To end it with status 1 write `fail` and why.",
    bad: r#"exit 1
"#,
    mended: r#"fail "why"
"#,
};

/// `exit 1`
pub(crate) fn at(place: Span) -> Report {
    Report::new(
        &DIAGNOSTIC,
        place,
        "`exit` ends the program well and takes nothing",
    )
    .suggest("to end it with status 1, say why", place, "fail \"why\"")
}
