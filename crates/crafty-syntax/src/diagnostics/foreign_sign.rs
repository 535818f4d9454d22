//! `foreign-sign`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Report, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0117",
    name: "foreign-sign",
    severity: Severity::Error,
    title: "a sign that the language does not have",
    explanation: "The language has no `@`, no backquote, no `\\` outside strings, and no `$` outside strings: a variable is its bare name. A line goes on by itself after an operator, a comma, or inside brackets.",
    bad: r#"x = 5
print("${x + $x}")
"#,
    mended: r#"x = 5
print("${x + x}")
"#,
};

/// `c` stands outside strings and comments.
pub(crate) fn at(place: Span, c: char) -> Report {
    let report = Report::new(
        &DIAGNOSTIC,
        place,
        format!("`{c}` is no sign of the language"),
    );
    match c {
        '$' => report.suggest("a variable is its bare name", place, ""),
        '\\' => report.suggest(
            "a line goes on after an operator, a comma, or inside brackets",
            place,
            "",
        ),
        '\'' | '`' => report.suggest("strings stand in double quotes", place, "\""),
        _ => report.suggest("remove it", place, ""),
    }
}
