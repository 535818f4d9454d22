//! `repeat-options`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0150",
    name: "repeat-options",
    severity: Severity::Error,
    title: "`repeat` without options",
    explanation: "`repeat` needs to know how often (`count=5`) or how fast (`every=10ms`); it also takes `for=2s` and `until=done`.",
    bad: r#"repeat 5 { print("x") }
"#,
    fixed: r#"repeat count=5 { print("x") }
"#,
};

/// `repeat { }`; `place` is the word.
pub(crate) fn none(place: Span) -> Occurrence {
    let end = Span {
        start: place.end,
        end: place.end,
    };
    Occurrence::new(&DIAGNOSTIC, place, "`repeat` needs a bound")
        .suggest("say how often", end, " count=5")
        .help("or say how fast and how long: `repeat every=10ms for=2s { }`")
}

/// `repeat 5 { }`; `place` is the number.
pub(crate) fn bare(place: Span, count: &str) -> Occurrence {
    let written = format!("count={count}");
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{count}` needs the name of its option"),
    )
    .fix(format!("write `{written}`"), place, written)
}
