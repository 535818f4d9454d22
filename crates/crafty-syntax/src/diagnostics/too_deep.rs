//! `too-deep`

use crate::MAX_NESTING;
use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0110",
    name: "too-deep",
    severity: Severity::Error,
    title: "nesting deeper than 64, or too many operators in one expression",
    explanation: "Blocks, brackets and groups can be nested at most 64 deep, and an expression can have at most 256 levels of operators. Give names to parts of an expression, and merge blocks.",
    bad: r#"x = (((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
print("${x}")
"#,
    fixed: r#"x = (1)
print("${x}")
"#,
};

/// One bracket or block too many.
pub(crate) fn nesting(place: Span) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("nesting deeper than {MAX_NESTING}"),
    )
    .help("give a part of it a name of its own")
}

/// Conditions in parentheses that are too many once they are written out.
pub(crate) fn conditions(place: Span) -> Occurrence {
    Occurrence::new(&DIAGNOSTIC, place, "too many conditions in parentheses")
        .help("test the rest in a `where`")
}

/// One operator too many.
pub(crate) fn operators(place: Span) -> Occurrence {
    Occurrence::new(&DIAGNOSTIC, place, "too many operators in one expression")
        .help("give a part of it a name of its own")
}
