//! `while-loop`

use crate::diagnostic::{Diagnostic, Report, Severity};
use crate::syntax::ast::Span;

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0142",
    name: "while-loop",
    severity: Severity::Error,
    title: "`while`",
    explanation: "Every loop has a bound that is known before the start. `repeat count=5 until=done { }` tests before each round; with `every=10ms` it needs no count, since time bounds it.",
    bad: r#"done = false
while not done { done := true }
"#,
    mended: r#"done = false
repeat count=10 until=done { done := true }
"#,
};

/// `word` begins an unbounded loop.
pub(crate) fn at(place: Span, word: &str) -> Report {
    Report::new(&DIAGNOSTIC, place, format!("there is no `{word}`: every loop has a bound"))
        .help("write `repeat count=10 until=done { }`, or `repeat every=10ms for=2s { }`")
}
