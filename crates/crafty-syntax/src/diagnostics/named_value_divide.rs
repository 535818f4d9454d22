//! `named-value-divide`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0134",
    name: "named-value-divide",
    severity: Severity::Error,
    title: "division by a named value",
    explanation: "`/` before a name with a capital starts the next layer. To divide by a named value, put the value in parentheses.",
    bad: r#"x = 80 / ICMP.echo_request
print("${x}")
"#,
    fixed: r#"x = 80 / (ICMP.echo_request)
print("${x}")
"#,
};

/// `left / value`
pub(crate) fn at(place: Span, left: &str, value: &str) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{left} / {value}` reads as a stack"),
    )
    .fix("put it in parentheses", place, format!("({value})"))
}
