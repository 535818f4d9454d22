//! `expected`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0199",
    name: "expected",
    severity: Severity::Error,
    title: "something else was expected",
    explanation: "The text does not make sense from here on. The message says what is allowed here. Checking continues at the next statement.",
    bad: r#"x = 
"#,
    fixed: r#"x = 1
print("${x}")
"#,
};

/// `what` could be here, and `found` does.
pub(crate) fn at(place: Span, what: &str, found: &str) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("expected {what}, found {found}"),
    )
}

/// An `else` or `or` that follows nothing.
pub(crate) fn stray_else(place: Span, word: &str) -> Occurrence {
    let help = match word {
        "else" => "`else` follows the block of `if`, `expect`, `try` or a stack",
        _ => "`or` follows a block of `expect`, or joins two conditions",
    };
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{word}` does not follow anything that it could belong to"),
    )
    .help(help)
}

/// A `{` at the start of a statement.
pub(crate) fn stray_block(place: Span) -> Occurrence {
    Occurrence::new(&DIAGNOSTIC, place, "this block belongs to no statement")
        .help("a block follows `if`, `foreach`, `repeat`, `on`, `expect`, `try`, or a stack")
}

/// `{}` where a value should are.
pub(crate) fn empty_braces(place: Span) -> Occurrence {
    Occurrence::new(&DIAGNOSTIC, place, "empty braces are no value")
        .help("an empty map is `map(key=0, default=0)`, with an example of a key and the value of an absent one; a record names its parts: `{count: 0}`")
}
