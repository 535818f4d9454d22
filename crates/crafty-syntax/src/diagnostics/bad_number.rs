//! `bad-number`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0104",
    name: "bad-number",
    severity: Severity::Error,
    title: "an invalid number",
    explanation: "Whole numbers are signed and have 64 bits. Hex numbers start with `0x`, binary numbers with `0b`; `_` may be between two digits. A duration is a whole number of nanoseconds, a size a whole number of bytes.",
    bad: r#"x = 99999999999999999999
print("${x}")
"#,
    fixed: r#"x = 9223372036854775807
print("${x}")
"#,
};

/// `text` begins as a number.
pub(crate) fn at(place: Span, text: &str) -> Occurrence {
    let report = Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{text}` is not a valid number"),
    );
    let plain = text.replace('_', "");
    let digits = plain.trim_start_matches(|c: char| c.is_ascii_digit());
    match (text.starts_with("0x"), text.starts_with("0b")) {
        (true, _) => report
            .help("a hex number is `0x` and at most 16 hex digits, up to `0x7fff_ffff_ffff_ffff`"),
        (_, true) => report.help("a binary number is `0b` and at most 63 digits `0` or `1`"),
        _ if text.contains("__") || text.contains("_.") || text.ends_with('_') => {
            report.help("a `_` can be only between two digits, one at a time")
        }
        _ if digits.starts_with('.') => report
            .help("a duration is a whole number of nanoseconds, a size a whole number of bytes"),
        _ => report.help("the largest number is `9223372036854775807`"),
    }
}
