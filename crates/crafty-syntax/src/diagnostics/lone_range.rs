//! `lone-range`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Report, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0133",
    name: "lone-range",
    severity: Severity::Error,
    title: "a range where a value is wanted",
    explanation: "A range such as `1..5` stands only after `foreach x` and after `in`. It is no value.",
    bad: r#"ttls = 1..5
print("${ttls}")
"#,
    mended: r#"foreach ttl 1..5 { print("${ttl}") }
"#,
};

/// `place` is the `..`.
pub(crate) fn at(place: Span) -> Report {
    Report::new(&DIAGNOSTIC, place, "a range is no value")
        .help("go over it, `foreach n 1..5 { }`, or ask `n in 1..5`; a list is `[1, 2, 3]`")
}
