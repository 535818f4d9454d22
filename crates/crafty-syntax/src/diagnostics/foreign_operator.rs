//! `foreign-operator`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0118",
    name: "foreign-operator",
    severity: Severity::Error,
    title: "an operator of another language",
    explanation: "The logical operators are words: `and`, `or`, `not`. Join flags with `+`, and test them with `has`. For bits of numbers use `bit_and(a, b)`, `bit_or(a, b)`, `bit_xor(a, b)` and `bits(x, high, low)`. There is no power operator, no shift and no regular expression: `data has \"text\"` searches for bytes, and patterns test fields.",
    bad: r#"a = true
b = false
if a && b { print("both") }
"#,
    fixed: r#"a = true
b = false
if a and b { print("both") }
"#,
};

/// An operator and what to write.
pub(crate) struct ForeignOperator {
    pub written: &'static str,
    /// The sign that is read in its place.
    pub reads_as: &'static str,
    /// Whether that is what was meant.
    same: bool,
    help: &'static str,
}

/// An operator that means what the sign means.
const fn same(
    written: &'static str,
    reads_as: &'static str,
    help: &'static str,
) -> ForeignOperator {
    ForeignOperator {
        written,
        reads_as,
        same: true,
        help,
    }
}

/// An operator that means something else: the author has to decide.
const fn similar(
    written: &'static str,
    reads_as: &'static str,
    help: &'static str,
) -> ForeignOperator {
    ForeignOperator {
        same: false,
        ..same(written, reads_as, help)
    }
}

/// Longer ones first.
pub(crate) const ROWS: &[ForeignOperator] = &[
    same("===", "==", ""),
    same("!==", "!=", ""),
    same("...", "..", "a range includes both ends"),
    same("..=", "..", "a range includes both ends"),
    similar("..<", "..", "a range includes both ends: `1..n - 1`"),
    same("&&", "and", ""),
    same("||", "or", ""),
    same("<>", "!=", ""),
    similar(
        "=~",
        "has",
        "there are no regular expressions: `has` searches for bytes or text, patterns compare fields",
    ),
    similar(
        "!~",
        "has",
        "there are no regular expressions: `not has` tests that bytes or text are absent",
    ),
    similar(
        "**",
        "*",
        "there is no power operator: multiply, or write the number",
    ),
    similar(
        "<<",
        "*",
        "there are no shifts: multiply, or use `bits(x, high, low)`",
    ),
    similar(
        ">>",
        "*",
        "there are no shifts: use `div(x, 256)` or `bits(x, high, low)`",
    ),
    similar(
        "|",
        "+",
        "join conditions with `or`, flags with `+`, bits of numbers with `bit_or(a, b)`",
    ),
    similar(
        "&",
        "+",
        "join conditions with `and`; test flags with `has`, bits of numbers with `bit_and(a, b)` or `bits(x, high, low)`",
    ),
    similar(
        "^",
        "+",
        "for bits of numbers use `bit_xor(a, b)`; there is no power operator",
    ),
    similar(
        "~",
        "-",
        "to search for bytes or text write `has`; remove flags with `-`, change bits with `bit_xor(a, b)`",
    ),
];

/// The sign of this row is here.
pub(crate) fn at(place: Span, row: &ForeignOperator) -> Occurrence {
    let report = Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{}` is not an operator", row.written),
    );
    let report = match (row.same, row.written) {
        (true, _) => report.fix(format!("write `{}`", row.reads_as), place, row.reads_as),
        (_, "|") => report.suggest("to join flags, write `+`", place, "+"),
        (_, "=~") => report.suggest("to search for text, write `has`", place, "has"),
        _ => report,
    };
    if row.help.is_empty() {
        report
    } else {
        report.help(row.help)
    }
}

/// An arrow.
pub(crate) fn stray(place: Span, written: &str, meant: &str) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{written}` is not an operator"),
    )
    .suggest(format!("did you mean `{meant}`?"), place, meant)
}
