//! `reserved-name`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0122",
    name: "reserved-name",
    severity: Severity::Error,
    title: "a reserved word in the wrong place",
    explanation: "`BUDGET`, `PORTS` and `PERMISSIONS` are given once, at the top, and cannot be read. `MATCH` is the matched packet and `STACK` is the state of the enclosing driven block; both can be read, but not assigned.",
    bad: r#"x = BUDGET
print("${x}")
"#,
    fixed: r#"x = 500
print("${x}")
"#,
};

/// A setting is where a value is wanted.
pub(crate) fn read(place: Span, word: &str) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{word}` is a setting and cannot be read"),
    )
    .help("declare a constant above it, and use that in both places")
}

/// `MATCH = …`
pub(crate) fn assigned(place: Span, word: &str) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{word}` can be read, but not assigned"),
    )
    .help("to name a matched packet, write `as m` after the pattern")
}
