//! `else-name`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0147",
    name: "else-name",
    severity: Severity::Error,
    title: "a name after an `else` that gets no error",
    explanation: "Only the `else` of a stack and of `try` gets an error and can name it. The `else` of `if` and `expect` gets none.",
    bad: r#"if 1 > 2 { print("a") } else e { print("b") }
"#,
    fixed: r#"if 1 > 2 { print("a") } else { print("b") }
"#,
};

/// `name` is after the `else` of `of`; `gap` reaches from it to the block.
pub(crate) fn at(place: Span, gap: Span, name: &str, of: &str) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("the `else` of `{of}` gets no error, so `{name}` would have no value"),
    )
    .fix("remove it", gap, "")
}
