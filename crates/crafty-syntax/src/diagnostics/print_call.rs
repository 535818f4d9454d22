//! `print-call`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0149",
    name: "print-call",
    severity: Severity::Error,
    title: "`print` without parentheses, or with several values",
    explanation: "`print(x)` prints one value and a line end. To print several values, put them into one string: `print(\"${a} ${b}\")`.",
    bad: r#"a = 1
print("a is", a)
"#,
    fixed: r#"a = 1
print("a is ${a}")
"#,
};

/// `print x`
pub(crate) fn bare(place: Span, value: &str) -> Occurrence {
    let written = format!("print({value})");
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        "`print` needs parentheses around its value",
    )
    .fix(format!("write `{written}`"), place, written)
}

/// `print(a, b)`, `print()`; `place` is the parentheses.
pub(crate) fn many(place: Span, values: &[&str]) -> Occurrence {
    let report = Occurrence::new(&DIAGNOSTIC, place, "`print` takes one value");
    let parts: Vec<String> = values.iter().map(|value| part(value)).collect();
    report.suggest(
        "put all values into one string",
        place,
        format!("(\"{}\")", parts.join(" ")),
    )
}

/// A value as a part of a string.
fn part(value: &str) -> String {
    match value.strip_prefix('"').and_then(|v| v.strip_suffix('"')) {
        Some(text) if !text.contains('"') => text.to_string(),
        _ => format!("${{{value}}}"),
    }
}
