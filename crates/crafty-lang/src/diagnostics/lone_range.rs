//! `lone-range`

use crate::diagnostic::{Diagnostic, Report, Severity};
use crate::syntax::ast::Span;

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0133",
    name: "lone-range",
    severity: Severity::Error,
    title: "a range where a value is wanted",
    explanation: "A range such as `1..5` stands only after `foreach x` and after `in`. It is no value.",
    bad: r#"n = 3
if n == 1..5 { print("in") }
"#,
    mended: r#"n = 3
if n in 1..5 { print("in") }
"#,
};

/// `place` is the `..` between `low` and `high`.
pub(crate) fn at(place: Span, low: &str, high: &str) -> Report {
    Report::new(&DIAGNOSTIC, place, format!("`{low}..{high}` is a range, which stands only after `in` and `foreach`")).help(format!("ask `x in {low}..{high}`"))
}
