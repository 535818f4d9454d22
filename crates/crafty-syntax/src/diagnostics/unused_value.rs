//! `unused-value`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0138",
    name: "unused-value",
    severity: Severity::Error,
    title: "a function call without effect",
    explanation: "Functions only compute a value, so a call alone does nothing. Assign its value or print it. To send a packet, write its stack as a statement.",
    bad: r#"x = [1, 2]
length(x)
"#,
    fixed: r#"x = [1, 2]
print("${length(x)}")
"#,
};

/// `name(…)` as a statement.
pub(crate) fn at(place: Span, name: &str) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{name}(…)` alone does nothing"),
    )
    .help(format!(
        "use its value: `x = {name}(…)`, `print(\"${{{name}(…)}}\")`"
    ))
    .help("to send a packet, write its stack as a statement: `Bytes(\"hello\")`")
}
