//! `missing-block`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0153",
    name: "missing-block",
    severity: Severity::Error,
    title: "a statement without its block",
    explanation: "`if`, `foreach`, `repeat`, `on`, `expect` and `try` need a block in braces, without `then`, `do` or `:` before it.",
    bad: r#"x = 1
if x == 1 then { print("one") }
"#,
    fixed: r#"x = 1
if x == 1 { print("one") }
"#,
};

/// Where the block of `after` was expected.
pub(crate) fn at(place: Span, after: &str) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("the block of `{after}` is missing"),
    )
    .help("write it in braces: `{ … }`")
}

/// `then`, `do` or `:`; `braced` says whether braces follow.
pub(crate) fn foreign(place: Span, word: &str, braced: bool) -> Occurrence {
    let report = Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("there is no `{word}` before a block"),
    );
    if braced {
        report.fix("remove it", place, "")
    } else {
        report.help("write `{` in its place, and `}` on a line after the block's last statement")
    }
}
