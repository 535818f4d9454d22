//! `lone-range`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0133",
    name: "lone-range",
    severity: Severity::Error,
    title: "a range where a value is needed",
    explanation: "A range such as `1..5` can be used only after `foreach x` and after `in`. It is not a value.",
    bad: r#"ttls = 1..5
print("${ttls}")
"#,
    fixed: r#"foreach ttl 1..5 { print("${ttl}") }
"#,
};

/// `place` is the `..`.
pub(crate) fn at(place: Span) -> Occurrence {
    Occurrence::new(&DIAGNOSTIC, place, "a range is not a value")
        .help("loop over it with `foreach n 1..5 { }`, or test `n in 1..5`; a list is `[1, 2, 3]`")
}
