//! `break-word`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Report, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0143",
    name: "break-word",
    severity: Severity::Error,
    title: "`break`",
    explanation: "The nearest loop is ended with `stop`.",
    bad: r#"foreach n 1..3 {
  if n == 2 { break }
}
"#,
    mended: r#"foreach n 1..3 {
  if n == 2 { stop }
}
"#,
};

/// The word stands here.
pub(crate) fn at(place: Span) -> Report {
    Report::new(&DIAGNOSTIC, place, "a loop is ended with `stop`").fix(
        "write `stop`",
        place,
        "stop",
    )
}
