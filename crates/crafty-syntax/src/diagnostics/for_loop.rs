//! `for-loop`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0141",
    name: "for-loop",
    severity: Severity::Error,
    title: "a `for` loop",
    explanation: "`foreach x xs { }` loops over an array, the keys of a map, or a range such as `1..30`, which includes both ends. `repeat count=5 { }` repeats a block.",
    bad: r#"for n in 1..3 { print("${n}") }
"#,
    fixed: r#"foreach n 1..3 { print("${n}") }
"#,
};

/// Functions of other languages that are behind `in`: none of them has a place here.
pub(crate) const COUNTERS: &[&str] = &[
    "enumerate",
    "irange",
    "iter",
    "list",
    "range",
    "reversed",
    "seq",
    "sorted",
    "xrange",
    "zip",
];

/// `edit` turns `for x in` into `foreach x`, where it is written so.
pub(crate) fn at(place: Span, edit: Option<(Span, String)>) -> Occurrence {
    let report = Occurrence::new(&DIAGNOSTIC, place, "use `foreach` to loop over values");
    match edit {
        Some((span, text)) => report.fix(format!("write `{text}`"), span, text),
        None => report.help("for values write `foreach x xs { }`, for numbers `foreach n 1..5 { }`, to repeat `repeat count=5 { }`"),
    }
}
