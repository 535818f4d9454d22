//! `missing-comma`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0160",
    name: "missing-comma",
    severity: Severity::Error,
    title: "a missing comma",
    explanation: "Items in brackets need commas between them; entries of settings need a comma or a line end.",
    bad: r#"x = [1 2]
print("${x[0]}")
"#,
    fixed: r#"x = [1, 2]
print("${x[0]}")
"#,
};

/// `place` is where it belongs.
pub(crate) fn at(place: Span) -> Occurrence {
    Occurrence::new(&DIAGNOSTIC, place, "a comma is missing here").fix("write `,`", place, ",")
}
