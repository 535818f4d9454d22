//! `keyword-as-name`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0121",
    name: "keyword-as-name",
    severity: Severity::Error,
    title: "a keyword used as a name",
    explanation: "A keyword cannot be the name of a variable. It can be the name of a field or option: `TCP!(close=2s)`.",
    bad: r#"record = 5
"#,
    fixed: r#"recorded = 5
print("${recorded}")
"#,
};

/// `word` is where a new name is wanted.
pub(crate) fn at(place: Span, word: &str) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{word}` is a keyword and cannot be a name"),
    )
    .suggest("add a letter to it", place, format!("{word}_1"))
}
