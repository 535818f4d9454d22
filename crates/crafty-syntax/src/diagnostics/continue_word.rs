//! `continue-word`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0144",
    name: "continue-word",
    severity: Severity::Error,
    title: "a `continue` statement",
    explanation: "There is no `continue`: put the rest of the body into an `if`.",
    bad: r#"foreach n 1..3 {
  if n == 2 { continue }
  print("${n}")
}
"#,
    fixed: r#"foreach n 1..3 {
  if n != 2 { print("${n}") }
}
"#,
};

/// `word` is here.
pub(crate) fn at(place: Span, word: &str) -> Occurrence {
    Occurrence::new(&DIAGNOSTIC, place, format!("there is no `{word}`"))
        .help("put the rest of the body into an `if`")
}
