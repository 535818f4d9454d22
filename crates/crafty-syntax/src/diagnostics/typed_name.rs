//! `typed-name`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0124",
    name: "typed-name",
    severity: Severity::Error,
    title: "a declared type",
    explanation: "Types are inferred: `x = 5` declares an int. Only a param can name a type, as in `param x: ip`, for a value that the command line must give.",
    bad: r#"x: int = 5
print("${x}")
"#,
    fixed: r#"x = 5
print("${x}")
"#,
};

/// `name:` at the start of a statement.
pub(crate) fn at(place: Span, name: &str) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{name}` gets its type from its first value"),
    )
    .help(format!(
        "write `{name} = value`; a type is written only after `param`"
    ))
}
