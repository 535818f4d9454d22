//! `bad-hole`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0115",
    name: "bad-hole",
    severity: Severity::Error,
    title: "an invalid `${…}`",
    explanation: "`${…}` in a string contains one expression, on the same line. The expression may contain strings, but no further `${`. A format may follow a colon: `.2` for digits, `.1%` for a share in percent, `>8` or `<8` for width, or both as in `>8.2`. For the characters `${` themselves write `\\${`.",
    bad: r#"print("x is ${}")
"#,
    fixed: r#"print("x is")
"#,
};

/// A `${` without its `}`.
pub(crate) fn open(place: Span) -> Occurrence {
    Occurrence::new(&DIAGNOSTIC, place, "this `${` has no `}` on its line").suggest(
        "for the characters themselves, escape the `$`",
        place,
        "\\${",
    )
}

/// Nothing between the braces.
pub(crate) fn empty(place: Span) -> Occurrence {
    Occurrence::new(&DIAGNOSTIC, place, "this `${}` contains no expression").suggest(
        "remove it",
        place,
        "",
    )
}

/// `${` in a string of a hole.
pub(crate) fn nested(place: Span) -> Occurrence {
    Occurrence::new(&DIAGNOSTIC, place, "a `${` inside a `${…}`")
        .help("give the inner string a name of its own")
}

/// `#` in a hole.
pub(crate) fn comment(place: Span) -> Occurrence {
    Occurrence::new(&DIAGNOSTIC, place, "a comment cannot be inside a `${…}`")
        .help("put it at the end of the line")
}

/// What follows the last `:` is not a format.
pub(crate) fn format(place: Span, written: &str) -> Occurrence {
    let report = Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`:{written}` is not a valid format"),
    );
    let digits = written.trim_end_matches('f');
    let dotted = digits
        .strip_prefix('.')
        .is_some_and(|n| !n.is_empty() && n.bytes().all(|c| c.is_ascii_digit()));
    if let Some(width) = written.strip_suffix('%') {
        return report.fix("say how many digits", place, format!(":{width}.0%"));
    }
    match (dotted, written.parse::<u16>()) {
        (true, _) => report.fix("write only the digits", place, format!(":{digits}")),
        (_, Ok(width)) => report.suggest("say on which side to align", place, format!(":>{width}")),
        _ => report.help("for digits write `:.2`, for percent `:.1%`, for width `:>8` or `:<8`, for both `:>8.2`"),
    }
}
