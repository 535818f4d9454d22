//! `foreign-sign`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0117",
    name: "foreign-sign",
    severity: Severity::Error,
    title: "a character that the language does not use",
    explanation: "The language does not use `@` and backquotes, nor `\\` and `$` outside strings: a variable is written as its bare name. A statement continues on the next line after an operator, after a comma, and inside brackets.",
    bad: r#"x = 5
print("${x + $x}")
"#,
    fixed: r#"x = 5
print("${x + x}")
"#,
};

/// `c` is outside strings and comments.
pub(crate) fn at(place: Span, c: char) -> Occurrence {
    let report = Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{c}` is not used in the language"),
    );
    match c {
        '$' => report.suggest("a variable is written as its bare name", place, ""),
        '\\' => report.suggest(
            "a statement continues on the next line after an operator, after a comma, and inside brackets",
            place,
            "",
        ),
        '\'' | '`' => report.suggest("strings need double quotes", place, "\""),
        _ => report.suggest("remove it", place, ""),
    }
}
