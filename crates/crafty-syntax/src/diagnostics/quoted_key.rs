//! `quoted-key`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0162",
    name: "quoted-key",
    severity: Severity::Error,
    title: "a key in quotes",
    explanation: "Keys of settings are written without quotes.",
    bad: r#"BUDGET = { "max_packets": 5 }
"#,
    fixed: r#"BUDGET = { max_packets: 5 }
"#,
};

/// `key` is what is in quotes.
pub(crate) fn at(place: Span, key: &str) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("the key `{key}` is written without quotes"),
    )
    .fix("remove the quotes", place, key)
}
