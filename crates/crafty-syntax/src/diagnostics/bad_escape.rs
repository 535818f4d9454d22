//! `bad-escape`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0105",
    name: "bad-escape",
    severity: Severity::Error,
    title: "an invalid escape",
    explanation: "In strings `\\n \\r \\t \\0 \\\" \\\\ \\$` are one character each, `\\xNN` is a byte in hex, and `\\u{…}` is a character by its number. For a `\\` itself write `\\\\`.",
    bad: r#"print("a\qb")
"#,
    fixed: r#"print("a\\qb")
"#,
};

/// `written` begins with `\\`.
pub(crate) fn at(place: Span, written: &str) -> Occurrence {
    let report = Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{written}` is not a valid escape"),
    );
    match written {
        "\\x" => report.help("`\\xNN` has two hex digits"),
        "\\u" => report.help("`\\u{…}` holds one to six hex digits of a character's number"),
        "\\e" => report.suggest("write the byte", place, "\\x1b"),
        _ => report.suggest(
            "for a `\\`, write two of them",
            place,
            format!("\\{written}"),
        ),
    }
}
