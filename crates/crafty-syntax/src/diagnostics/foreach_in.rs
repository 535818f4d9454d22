//! `foreach-in`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0140",
    name: "foreach-in",
    severity: Severity::Error,
    title: "`in` after the variable of `foreach`",
    explanation: "Write `foreach x xs { }`: the variable, then what to loop over, with nothing between them.",
    bad: r#"xs = [1, 2]
foreach x in xs { print("${x}") }
"#,
    fixed: r#"xs = [1, 2]
foreach x xs { print("${x}") }
"#,
};

/// `place` is the `in` with the blanks behind it.
pub(crate) fn at(place: Span, word: Span) -> Occurrence {
    Occurrence::new(&DIAGNOSTIC, word, "`foreach` has no `in`").fix("remove it", place, "")
}
