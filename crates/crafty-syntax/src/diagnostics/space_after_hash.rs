//! `space-after-hash`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0101",
    name: "space-after-hash",
    severity: Severity::Error,
    title: "a `#` that starts neither a comment nor bytes",
    explanation: "`#` and a space start a comment, which goes to the end of the line. `#` and an even number of hex digits are bytes: `#00`, `#de_ad`. Anything else after `#` is ambiguous and not allowed. A comment that happens to be hex digits (`#fade`) is read as bytes, so put a space after every `#` that starts a comment.",
    bad: r#"x = 5 #five seconds
print("${x}")
"#,
    fixed: r#"x = 5 # five seconds
print("${x}")
"#,
};

/// `digits` follow a `#` and are not bytes; `operand` says whether a value is wanted there.
pub(crate) fn at(place: Span, digits: &str, operand: bool) -> Occurrence {
    let hash = Span {
        start: place.start,
        end: place.start + 1,
    };
    let report = Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`#{digits}` is neither a comment nor bytes"),
    );
    let hex = !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_hexdigit());
    match (operand, hex) {
        (true, true) => report
            .suggest("write all digits of the first byte", place, format!("#0{digits}"))
            .help("bytes have an even number of hex digits; a comment needs a space after `#`"),
        (true, false) => report.help("bytes are an even number of hex digits after `#`, as in `#de_ad`; a comment needs a space after `#`"),
        _ => report.fix("put a space after `#`", hash, "# "),
    }
}

/// Bytes are where no value can, so a comment was meant.
pub(crate) fn after(place: Span, text: &str) -> Occurrence {
    let hash = Span {
        start: place.start,
        end: place.start + 1,
    };
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{text}` is read as bytes, and a value is not allowed here"),
    )
    .suggest("for a comment, put a space after `#`", hash, "# ")
}
