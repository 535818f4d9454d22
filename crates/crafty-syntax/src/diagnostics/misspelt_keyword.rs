//! `misspelt-keyword`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0155",
    name: "misspelt-keyword",
    severity: Severity::Error,
    title: "a misspelt keyword",
    explanation: "A statement starts with a keyword, a name that is assigned, or a stack.",
    bad: r#"foreahc n 1..3 { print("${n}") }
"#,
    fixed: r#"foreach n 1..3 { print("${n}") }
"#,
};

/// `word` is nearly `keyword`.
pub(crate) fn at(place: Span, word: &str, keyword: &str) -> Occurrence {
    Occurrence::new(&DIAGNOSTIC, place, format!("there is no `{word}`")).suggest(
        format!("did you mean `{keyword}`?"),
        place,
        keyword,
    )
}
