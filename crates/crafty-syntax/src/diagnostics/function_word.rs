//! `function-word`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Report, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0145",
    name: "function-word",
    severity: Severity::Error,
    title: "a function is defined or left",
    explanation: "Programs define no functions: a reviewer reads them from top to bottom once. Repeat with loops; `stop` leaves a loop, `exit` ends the program well, `fail \"why\"` ends it with status 1.",
    bad: r#"def probe(n) { print("${n}") }
"#,
    mended: r#"foreach n 1..3 { print("${n}") }
"#,
};

/// `word` stands at the start of a statement.
pub(crate) fn at(place: Span, word: &str) -> Report {
    let report = Report::new(
        &DIAGNOSTIC,
        place,
        format!("there is no `{word}`: programs define no functions"),
    );
    match word {
        "return" => report.help("`stop` leaves a loop, `exit` ends the program"),
        _ => report
            .help("write the statements where they are needed, in a `foreach` if more than once"),
    }
}
