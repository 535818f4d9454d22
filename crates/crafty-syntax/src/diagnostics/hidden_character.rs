//! `hidden-character`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0107",
    name: "hidden-character",
    severity: Severity::Error,
    title: "an invisible character",
    explanation: "Control characters, characters that change the direction of text, and characters without width are not allowed anywhere, not even in strings and comments: what a reviewer sees must be what runs. In a string, write such a character as `\\xNN` or `\\u{…}`.",
    bad: "print(\"a\u{202e}b\")\n",
    fixed: r#"print("ab")
"#,
};

/// A run that begins with `c`.
pub(crate) fn at(place: Span, c: char) -> Occurrence {
    let what = match c {
        '\r' => "a carriage return without a line feed".to_string(),
        '\u{feff}' => "a byte order mark".to_string(),
        c if c.is_control() => format!("the control character {:#04x}", c as u32),
        c => format!("the invisible character U+{:04X}", c as u32),
    };
    Occurrence::new(&DIAGNOSTIC, place, format!("there is {what} here"))
        .suggest("remove it", place, "")
        .help("in a string write it as an escape: `\\x1b`, `\\u{202e}`")
}
