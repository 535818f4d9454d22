//! `unterminated-string`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0106",
    name: "unterminated-string",
    severity: Severity::Error,
    title: "a string without its closing quote",
    explanation: "A string must end with `\"` on the line where it starts. For a line end in a string write `\\n`. For a long string, join two strings with `+` at the end of the line.",
    bad: r#"print("hello)
"#,
    fixed: r#"print("hello")
"#,
};

/// From the opening quote to the end of the line; `text` is all of it.
pub(crate) fn at(place: Span, text: &str) -> Occurrence {
    let inside = text
        .trim_end_matches([')', ']', '{', '}', ',', ' '])
        .len()
        .max(1) as u32;
    let end = Span {
        start: place.start + inside,
        end: place.start + inside,
    };
    Occurrence::new(&DIAGNOSTIC, place, "this string has no closing `\"`")
        .suggest("close it", end, "\"")
        .help("a line end inside a string is `\\n`")
}
