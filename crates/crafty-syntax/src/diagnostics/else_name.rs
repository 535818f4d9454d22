//! `else-name`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Report, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0147",
    name: "else-name",
    severity: Severity::Error,
    title: "a name after an `else` that takes no error",
    explanation: "Only the `else` of a stack and of `try` takes an error, and may name it. That of `if` and `expect` takes none.",
    bad: r#"if 1 > 2 { print("a") } else e { print("b") }
"#,
    mended: r#"if 1 > 2 { print("a") } else { print("b") }
"#,
};

/// `name` stands after the `else` of `of`; `gap` reaches from it to the block.
pub(crate) fn at(place: Span, gap: Span, name: &str, of: &str) -> Report {
    Report::new(
        &DIAGNOSTIC,
        place,
        format!("the `else` of `{of}` takes no error, so `{name}` has no value"),
    )
    .fix("leave it out", gap, "")
}
