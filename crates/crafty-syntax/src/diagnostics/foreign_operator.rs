//! `foreign-operator`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Report, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0118",
    name: "foreign-operator",
    severity: Severity::Error,
    title: "an operator of another language",
    explanation: "Logic is written in words: `and`, `or`, `not`. Sets of flags join with `+` and ask with `has`; bits of numbers are `bit_and(a, b)`, `bit_or(a, b)`, `bit_xor(a, b)` and `bits(x, high, low)`. There is no power, no shift, no regular expression: `data has \"text\"` looks for bytes, and patterns look at fields.",
    bad: r#"a = true
b = false
if a && b { print("both") }
"#,
    mended: r#"a = true
b = false
if a and b { print("both") }
"#,
};

/// An operator and what to write.
pub(crate) struct Row {
    pub written: &'static str,
    /// The sign that is read in its place.
    pub reads_as: &'static str,
    /// Whether that is what was meant.
    same: bool,
    help: &'static str,
}

const fn row(written: &'static str, reads_as: &'static str, same: bool, help: &'static str) -> Row {
    Row {
        written,
        reads_as,
        same,
        help,
    }
}

/// Longer ones first.
pub(crate) const ROWS: &[Row] = &[
    row("===", "==", true, ""),
    row("!==", "!=", true, ""),
    row("...", "..", true, "a range holds both its ends"),
    row("..=", "..", true, "a range holds both its ends"),
    row(
        "..<",
        "..",
        false,
        "a range holds both its ends: `1..n - 1`",
    ),
    row("&&", "and", true, ""),
    row("||", "or", true, ""),
    row("<>", "!=", true, ""),
    row(
        "=~",
        "has",
        false,
        "there are no regular expressions: `has` looks for bytes or text, patterns compare fields",
    ),
    row(
        "!~",
        "has",
        false,
        "there are no regular expressions: `not has` looks for bytes or text",
    ),
    row(
        "**",
        "*",
        false,
        "there is no power: multiply, or write the number",
    ),
    row(
        "<<",
        "*",
        false,
        "there are no shifts: multiply, or ask `bits(x, high, low)`",
    ),
    row(
        ">>",
        "*",
        false,
        "there are no shifts: `div(x, 256)`, or ask `bits(x, high, low)`",
    ),
    row(
        "|",
        "+",
        false,
        "conditions join with `or`, flags with `+`, bits of numbers with `bit_or(a, b)`",
    ),
    row(
        "&",
        "+",
        false,
        "conditions join with `and`; flags are asked with `has`, bits of numbers with `bit_and(a, b)` or `bits(x, high, low)`",
    ),
    row(
        "^",
        "+",
        false,
        "bits of numbers: `bit_xor(a, b)`; there is no power",
    ),
    row(
        "~",
        "-",
        false,
        "to look for bytes or text write `has`; flags are taken away with `-`, bits with `bit_xor(a, b)`",
    ),
];

/// The sign of this row stands here.
pub(crate) fn at(place: Span, row: &Row) -> Report {
    let report = Report::new(
        &DIAGNOSTIC,
        place,
        format!("`{}` is no operator of the language", row.written),
    );
    let report = match (row.same, row.written) {
        (true, _) => report.fix(format!("write `{}`", row.reads_as), place, row.reads_as),
        (_, "|") => report.suggest("to join flags, write `+`", place, "+"),
        (_, "=~") => report.suggest("to look for text, write `has`", place, "has"),
        _ => report,
    };
    if row.help.is_empty() {
        report
    } else {
        report.help(row.help)
    }
}

/// An arrow.
pub(crate) fn stray(place: Span, written: &str, meant: &str) -> Report {
    Report::new(
        &DIAGNOSTIC,
        place,
        format!("`{written}` is no sign of the language"),
    )
    .suggest(format!("was `{meant}` meant?"), place, meant)
}
