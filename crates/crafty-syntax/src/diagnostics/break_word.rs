//! `break-word`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0143",
    name: "break-word",
    severity: Severity::Error,
    title: "a `break` statement",
    explanation: "Use `stop` to end the innermost enclosing loop.",
    bad: r#"foreach n 1..3 {
  if n == 2 { break }
}
"#,
    fixed: r#"foreach n 1..3 {
  if n == 2 { stop }
}
"#,
};

/// The word is here.
pub(crate) fn at(place: Span) -> Occurrence {
    Occurrence::new(&DIAGNOSTIC, place, "use `stop` to end a loop").fix(
        "write `stop`",
        place,
        "stop",
    )
}
