//! `increment`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0127",
    name: "increment",
    severity: Severity::Error,
    title: "`++` or `--`",
    explanation: "To change a variable use `+=` and `-=`, in a separate statement.",
    bad: r#"n = 0
n++
print("${n}")
"#,
    fixed: r#"n = 0
n += 1
print("${n}")
"#,
};

/// `name++`, `name--`
pub(crate) fn at(place: Span, name: &str, sign: &str) -> Occurrence {
    let written = format!("{name} {}= 1", &sign[..1]);
    Occurrence::new(&DIAGNOSTIC, place, format!("`{sign}` is not an operator")).fix(
        format!("write `{written}`"),
        place,
        written,
    )
}
