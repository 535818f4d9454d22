//! `chained-comparison`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0131",
    name: "chained-comparison",
    severity: Severity::Error,
    title: "two comparisons in a row",
    explanation: "`a < b < c` would compare a bool with `c`. Join two comparisons with `and`.",
    bad: r#"n = 5
if 1 < n < 9 { print("between") }
"#,
    fixed: r#"n = 5
if 1 < n and n < 9 { print("between") }
"#,
};

/// `insert` is before the second relation, `middle` the operand between the two.
pub(crate) fn at(place: Span, insert: Span, middle: &str) -> Occurrence {
    Occurrence::new(&DIAGNOSTIC, place, "comparisons cannot be chained").suggest_all(
        "join them with `and`",
        vec![(insert, format!("and {middle} "))],
    )
}
