//! `ternary`

use crate::diagnostic::{Diagnostic, Report, Severity};
use crate::syntax::ast::Span;

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0137",
    name: "ternary",
    severity: Severity::Error,
    title: "`? :` as a choice",
    explanation: "There is no conditional expression. Declare the variable with one value and change it in an `if`.",
    bad: r#"n = 3
x = n > 2 ? 1 : 0
print("${x}")
"#,
    mended: r#"n = 3
x = 0
if n > 2 { x := 1 }
print("${x}")
"#,
};

/// `place` is the `?`.
pub(crate) fn at(place: Span) -> Report {
    Report::new(&DIAGNOSTIC, place, "there is no `? :`").help("write `x = other`, then `if condition { x := value }`")
}
