//! `option-sign`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0151",
    name: "option-sign",
    severity: Severity::Error,
    title: "an option without `=`",
    explanation: "Write options as `name=value`, with spaces between them and no commas: `repeat count=5 every=10ms { }`.",
    bad: r#"repeat count: 2 { print("x") }
"#,
    fixed: r#"repeat count=2 { print("x") }
"#,
};

/// What is between the option `name` and its value.
pub(crate) fn at(place: Span, name: &str, colon: bool) -> Occurrence {
    let message = if colon {
        "an option and its value are joined by `=`"
    } else {
        "an option needs `=` before its value"
    };
    Occurrence::new(&DIAGNOSTIC, place, format!("{message}: `{name}=…`")).fix(
        "write `=`",
        place,
        "=",
    )
}

/// A comma between options.
pub(crate) fn comma(place: Span) -> Occurrence {
    Occurrence::new(&DIAGNOSTIC, place, "options have no commas between them").fix(
        "remove it",
        place,
        "",
    )
}
