//! `string-prefix`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0119",
    name: "string-prefix",
    severity: Severity::Error,
    title: "a letter before a string",
    explanation: "There is one kind of string: `\"…\"`. It can contain values (`${…}`) and bytes (`\\xNN`), and can be used wherever bytes are needed. To write only bytes: `#0102`.",
    bad: r#"n = 1
print(f"n is {n}")
"#,
    fixed: r#"n = 1
print("n is ${n}")
"#,
};

/// Letters that are before strings elsewhere.
pub(crate) const PREFIXES: &[&str] = &["f", "b", "r", "u", "rb", "br", "x"];

/// Escapes that mean the same here.
const SAME: &[char] = &['n', 'r', 't', '0', '"', '\\', 'x'];

/// `place` is the prefix with its string, `inside` what is between the quotes.
pub(crate) fn at(place: Span, prefix: &str, inside: &str) -> Occurrence {
    let report = Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("a string has no prefix such as `{prefix}`"),
    );
    let written = match prefix {
        "f" => dollars(inside),
        "b" | "u" => escapes_alike(inside).then(|| inside.to_string()),
        "x" => None,
        _ => (!inside.contains("${") && !inside.contains("\\\""))
            .then(|| inside.replace('\\', "\\\\")),
    };
    match written {
        Some(text) => report.fix("remove the prefix", place, format!("\"{text}\"")),
        None => report.help(
            "a string can contain values (`${…}`) and bytes (`\\xNN`); to write only bytes: `#0102`",
        ),
    }
}

fn escapes_alike(inside: &str) -> bool {
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        if c == '\\' && !chars.next().is_some_and(|letter| SAME.contains(&letter)) {
            return false;
        }
    }
    !inside.contains("${")
}

/// `{x}` and `{x:.2f}` as `${x}` and `${x:.2}`; nothing for what is not as plain.
fn dollars(inside: &str) -> Option<String> {
    let (mut written, mut rest) = (String::new(), inside);
    while let Some((before, after)) = rest.split_once('{') {
        let (hole, behind) = after.split_once('}')?;
        let (value, format) = hole.split_once(':').unwrap_or((hole, ""));
        let plain = value.starts_with(|c: char| c.is_ascii_alphabetic())
            && value
                .bytes()
                .all(|c| c.is_ascii_alphanumeric() || b"_.[]".contains(&c));
        let digits = format
            .strip_prefix('.')
            .and_then(|f| f.strip_suffix('f'))
            .filter(|d| d.len() == 1 && d.bytes().all(|c| c.is_ascii_digit()));
        let format = match (digits, format) {
            (Some(digits), _) => format!(":.{digits}"),
            (None, "") => String::new(),
            _ => return None,
        };
        if !plain || before.contains('}') {
            return None;
        }
        written += &format!("{before}${{{value}{format}}}");
        rest = behind;
    }
    (!rest.contains('}') && escapes_alike(&inside.replace('$', ""))).then(|| written + rest)
}
