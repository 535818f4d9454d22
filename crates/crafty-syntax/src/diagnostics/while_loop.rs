//! `while-loop`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0142",
    name: "while-loop",
    severity: Severity::Error,
    title: "a `while` loop",
    explanation: "Every loop needs a bound that is known before the program runs. `repeat count=5 until=done { }` tests `done` before each round. With `every=10ms` it needs no count, because time is its bound.",
    bad: r#"done = false
while not done { done := true }
"#,
    fixed: r#"done = false
repeat count=10 until=done { done := true }
"#,
};

/// `word` begins an unbounded loop; `asked` is the text between it and its block.
pub(crate) fn at(place: Span, word: &str, asked: &str) -> Occurrence {
    let until = match (word, asked.trim()) {
        (_, "" | "true" | "True" | "1") => "done".to_string(),
        ("while", asked) => opposite(asked),
        (_, asked) => asked.to_string(),
    };
    Occurrence::new(&DIAGNOSTIC, place, format!("there is no `{word}`: every loop needs a bound"))
        .help(format!("write `repeat count=10 until={until} {{ }}`, or, with time as the bound, `repeat every=10ms for=2s {{ }}`"))
}

/// The condition that ends a loop which goes on while `asked` holds.
fn opposite(asked: &str) -> String {
    let word = |text: &str| text.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    match asked
        .strip_prefix("not ")
        .or_else(|| asked.strip_prefix('!'))
    {
        Some(rest) if word(rest) => rest.to_string(),
        _ if word(asked) => format!("not {asked}"),
        _ if asked.starts_with('(') && asked.ends_with(')') => format!("not {asked}"),
        _ => format!("not ({asked})"),
    }
}
