//! `bad-number`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Report, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0104",
    name: "bad-number",
    severity: Severity::Error,
    title: "a number that cannot be held",
    explanation: "Whole numbers have 64 bits and a sign; `0x` and `0b` begin hex and binary ones; `_` may stand between two digits. A duration is a whole number of nanoseconds, a size a whole number of bytes.",
    bad: r#"x = 99999999999999999999
print("${x}")
"#,
    mended: r#"x = 9223372036854775807
print("${x}")
"#,
};

/// `text` begins as a number.
pub(crate) fn at(place: Span, text: &str) -> Report {
    let report = Report::new(
        &DIAGNOSTIC,
        place,
        format!("`{text}` is no number that can be held"),
    );
    let plain = text.replace('_', "");
    let digits = plain.trim_start_matches(|c: char| c.is_ascii_digit());
    match (text.starts_with("0x"), text.starts_with("0b")) {
        (true, _) => report
            .help("hex numbers are `0x` and at most 16 hex digits, up to `0x7fff_ffff_ffff_ffff`"),
        (_, true) => {
            report.help("binary numbers are `0b` and digits `0` and `1`, at most 63 of them")
        }
        _ if text.contains("__") || text.contains("_.") || text.ends_with('_') => {
            report.help("`_` stands between two digits, one at a time")
        }
        _ if digits.starts_with('.') => report
            .help("a duration is a whole number of nanoseconds, a size a whole number of bytes"),
        _ => report.help("the greatest is `9223372036854775807`"),
    }
}
