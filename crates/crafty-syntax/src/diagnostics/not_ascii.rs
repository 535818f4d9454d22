//! `not-ascii`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0108",
    name: "not-ascii",
    severity: Severity::Error,
    title: "a non-ASCII character outside strings and comments",
    explanation: "Names, numbers and operators are ASCII, so that no two of them look alike. Strings and comments can contain any visible character.",
    bad: r#"x = 5 − 3
print("${x}")
"#,
    fixed: r#"x = 5 - 3
print("${x}")
"#,
};

/// `text` is the character or the word; `meant` what it looks like.
pub(crate) fn at(place: Span, text: &str, meant: Option<&str>) -> Occurrence {
    let report = Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{text}` is allowed only in strings and comments"),
    );
    match meant {
        Some(" ") => report.fix("write a plain space", place, " "),
        Some(meant) => report.suggest(format!("write `{meant}`"), place, meant),
        None => report.help("names consist of `a` to `z`, digits and `_`"),
    }
}

/// A string in quotes that are not ASCII; `inside` is what they hold.
pub(crate) fn quotes(place: Span, inside: &str) -> Occurrence {
    Occurrence::new(&DIAGNOSTIC, place, "these are not the quotes of a string").fix(
        "write plain quotes",
        place,
        format!("\"{inside}\""),
    )
}
