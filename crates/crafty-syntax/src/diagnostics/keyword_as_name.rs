//! `keyword-as-name`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Report, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0121",
    name: "keyword-as-name",
    severity: Severity::Error,
    title: "a word of the language as a name",
    explanation: "Words that begin statements or join expressions cannot name a variable. They may be keys and fields: `TCP!(close=2s)`.",
    bad: r#"record = 5
"#,
    mended: r#"recorded = 5
print("${recorded}")
"#,
};

/// `word` stands where a new name is wanted.
pub(crate) fn at(place: Span, word: &str) -> Report {
    Report::new(
        &DIAGNOSTIC,
        place,
        format!("`{word}` is a word of the language and cannot be a name"),
    )
    .suggest("add something to it", place, format!("{word}_1"))
}
