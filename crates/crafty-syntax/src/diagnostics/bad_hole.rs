//! `bad-hole`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Report, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0115",
    name: "bad-hole",
    severity: Severity::Error,
    title: "a `${…}` that cannot be read",
    explanation: "`${…}` in a string holds one expression, on the same line, and may hold strings but no further `${`. A format may end it: `.2` for digits, `>8` or `<8` for width, or both as in `>8.2`. A `$` that is no hole is written `\\$` where `{` follows.",
    bad: r#"print("x is ${}")
"#,
    mended: r#"print("x is")
"#,
};

/// A `${` without its `}`.
pub(crate) fn open(place: Span) -> Report {
    Report::new(&DIAGNOSTIC, place, "this `${` has no `}` on its line").suggest(
        "for the characters themselves, escape",
        place,
        "\\${",
    )
}

/// Nothing between the braces.
pub(crate) fn empty(place: Span) -> Report {
    Report::new(&DIAGNOSTIC, place, "this `${}` holds no expression").suggest(
        "remove it",
        place,
        "",
    )
}

/// `${` in a string of a hole.
pub(crate) fn nested(place: Span) -> Report {
    Report::new(&DIAGNOSTIC, place, "a `${` inside a `${…}`")
        .help("give the inner string a name of its own")
}

/// `#` in a hole.
pub(crate) fn comment(place: Span) -> Report {
    Report::new(&DIAGNOSTIC, place, "a comment cannot stand in a `${…}`")
        .help("put it at the end of the line")
}

/// What follows the last `:` is no format.
pub(crate) fn format(place: Span, written: &str) -> Report {
    let report = Report::new(&DIAGNOSTIC, place, format!("`:{written}` is no format"));
    let digits = written.trim_end_matches('f');
    let dotted = digits
        .strip_prefix('.')
        .is_some_and(|n| !n.is_empty() && n.bytes().all(|c| c.is_ascii_digit()));
    match (dotted, written.parse::<u16>()) {
        (true, _) => report.fix("digits are given alone", place, format!(":{digits}")),
        (_, Ok(width)) => report.suggest("a width has its side", place, format!(":>{width}")),
        _ => report.help("digits are `:.2`, width is `:>8` or `:<8`, both are `:>8.2`"),
    }
}
