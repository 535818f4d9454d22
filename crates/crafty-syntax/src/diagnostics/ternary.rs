//! `ternary`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0137",
    name: "ternary",
    severity: Severity::Error,
    title: "a conditional expression",
    explanation: "There is no `? :`. Declare the variable with one value, and change it in an `if`.",
    bad: r#"n = 3
x = n > 2 ? 1 : 0
print("${x}")
"#,
    fixed: r#"n = 3
x = 0
if n > 2 { x := 1 }
print("${x}")
"#,
};

/// `place` is the `?`, `source` the program.
pub(crate) fn at(place: Span, source: &str) -> Occurrence {
    let report = Occurrence::new(&DIAGNOSTIC, place, "there is no `? :`");
    match in_line(place, source) {
        Some((line, text)) => {
            report.suggest("declare one value, and change it in an `if`", line, text)
        }
        None => report.help("write `x = other`, then `if condition { x := value }`"),
    }
}

/// `x = a ? b : c` as two statements, where it is all of its line and has no strings and no further
/// signs.
fn in_line(place: Span, source: &str) -> Option<(Span, String)> {
    let (before, after) = (
        source.get(..place.start as usize)?,
        source.get(place.end as usize..)?,
    );
    let (start, after) = (
        before.rfind('\n').map_or(0, |n| n + 1),
        after.lines().next()?,
    );
    let head = &before[start..];
    let indent = head.len() - head.trim_start().len();
    let (name, condition) = head.split_once('=')?;
    let (value, other) = after.split_once(':')?;
    let (sign, name) = name
        .strip_suffix(':')
        .map_or(("=", name), |name| (":=", name));
    let plain =
        |text: &str| !text.trim().is_empty() && !text.contains(['"', '?', ':', '#', ';', '{', '}']);
    let word = !name.trim().is_empty()
        && name
            .trim()
            .bytes()
            .all(|c| c.is_ascii_alphanumeric() || c == b'_');
    let (name, condition, value, other) =
        (name.trim(), condition.trim(), value.trim(), other.trim());
    let text = format!(
        "{name} {sign} {other}\n{}if {condition} {{ {name} := {value} }}",
        &head[..indent]
    );
    let line = Span {
        start: (start + indent) as u32,
        end: place.end + after.trim_end().len() as u32,
    };
    (word && [condition, value, other].into_iter().all(plain)).then_some((line, text))
}
