//! `compound-assign`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0128",
    name: "compound-assign",
    severity: Severity::Error,
    title: "`*=`, `/=` or `%=`",
    explanation: "The only compound assignments are `+=` and `-=`. Write others in full: `x := x * 2`.",
    bad: r#"n = 3
n *= 2
print("${n}")
"#,
    fixed: r#"n = 3
n := n * (2)
print("${n}")
"#,
};

/// `name op= value`
pub(crate) fn at(place: Span, name: &str, op: &str, value: &str) -> Occurrence {
    let simple = value
        .bytes()
        .all(|c| c.is_ascii_alphanumeric() || c == b'_');
    let value = if simple {
        value.to_string()
    } else {
        format!("({value})")
    };
    Occurrence::new(&DIAGNOSTIC, place, format!("`{op}=` is not an operator")).fix(
        "write it in full",
        place,
        format!("{name} := {name} {op} {value}"),
    )
}
