//! `function-word`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0145",
    name: "function-word",
    severity: Severity::Error,
    title: "a function is defined or returned from",
    explanation: "Programs cannot define functions, so that a reviewer can read them once, from top to bottom. Use loops to repeat statements. `stop` leaves a loop, `exit` ends the program successfully, `fail \"why\"` ends it with status 1.",
    bad: r#"def probe(n) { print("${n}") }
"#,
    fixed: r#"foreach n 1..3 { print("${n}") }
"#,
};

/// `word` is at the start of a statement.
pub(crate) fn at(place: Span, word: &str) -> Occurrence {
    let report = Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("there is no `{word}`: programs cannot define functions"),
    );
    match word {
        "return" => report.help("use `stop` to leave a loop, `exit` to end the program"),
        _ => report
            .help("write the statements where they are needed; to repeat them use a `foreach`"),
    }
}
