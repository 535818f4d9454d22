//! `reserved-name`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Report, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0122",
    name: "reserved-name",
    severity: Severity::Error,
    title: "one of the five words in capitals in a wrong place",
    explanation: "`BUDGET`, `PORTS` and `PERMISSIONS` are written once, at the top, and cannot be read. `MATCH` is the matched packet and `STACK` the state of the enclosing stack: both can be read, neither can be assigned.",
    bad: r#"x = BUDGET
print("${x}")
"#,
    mended: r#"x = 500
print("${x}")
"#,
};

/// A setting stands where a value is wanted.
pub(crate) fn read(place: Span, word: &str) -> Report {
    Report::new(
        &DIAGNOSTIC,
        place,
        format!("`{word}` is a setting and cannot be read"),
    )
    .help("give the value a name above it, and use that in both places")
}

/// `MATCH = …`
pub(crate) fn assigned(place: Span, word: &str) -> Report {
    Report::new(
        &DIAGNOSTIC,
        place,
        format!("`{word}` can be read, not assigned"),
    )
    .help("`as m` after a pattern names a matched packet")
}
