//! `equals-in-condition`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0132",
    name: "equals-in-condition",
    severity: Severity::Error,
    title: "`=` where `==` compares",
    explanation: "`=` declares a name, `==` compares two values.",
    bad: r#"x = 1
if x = 1 { print("one") }
"#,
    fixed: r#"x = 1
if x == 1 { print("one") }
"#,
};

/// `place` is the `=` after `left`.
pub(crate) fn at(place: Span, left: &str) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`=` declares; to compare `{left}` write `==`"),
    )
    .fix("write `==`", place, "==")
}
