//! `capital-constant`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0123",
    name: "capital-constant",
    severity: Severity::Error,
    title: "a constant of another language",
    explanation: "`true` and `false` are in lower case. There is no null: test with `has` whether something is present; a variable has a value from its declaration on.",
    bad: r#"done = True
print("${done}")
"#,
    fixed: r#"done = true
print("${done}")
"#,
};

/// A word and what it is here; empty where there is none.
pub(crate) struct ForeignConstant {
    pub written: &'static str,
    reads: &'static str,
}

const fn row(written: &'static str, reads: &'static str) -> ForeignConstant {
    ForeignConstant { written, reads }
}

/// In capitals, as layers are; a small `null` is a name that nobody declared.
pub(crate) const ROWS: &[ForeignConstant] = &[
    row("True", "true"),
    row("TRUE", "true"),
    row("False", "false"),
    row("FALSE", "false"),
    row("None", ""),
    row("NULL", ""),
    row("Null", ""),
];

/// The word of this row stands as a value.
pub(crate) fn at(place: Span, row: &ForeignConstant) -> Occurrence {
    match row.reads {
        "" => Occurrence::new(&DIAGNOSTIC, place, format!("there is no `{}`", row.written)).help(
            "start with a value of the right type; `has(m, key)` tests whether a map has a key",
        ),
        reads => Occurrence::new(
            &DIAGNOSTIC,
            place,
            format!("`{}` is written in lower case", row.written),
        )
        .fix("write", place, reads),
    }
}
