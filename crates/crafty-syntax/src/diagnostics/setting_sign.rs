//! `setting-sign`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0161",
    name: "setting-sign",
    severity: Severity::Error,
    title: "`=` and `:` mixed up in a setting",
    explanation: "A setting is `BUDGET = { key: value, … }`: `=` before the braces, `:` inside them.",
    bad: r#"BUDGET = { max_packets = 5 }
"#,
    fixed: r#"BUDGET = { max_packets: 5 }
"#,
};

/// What is before the braces of `name`.
pub(crate) fn of_group(place: Span, name: &str) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{name}` needs `=` before its braces"),
    )
    .fix("write `=`", place, " = ")
}

/// `place` is the `=` after `key`.
pub(crate) fn of_key(place: Span, key: &str) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{key}` needs `:` before its value"),
    )
    .fix("write `:`", place, ":")
}
