//! `hole-sign`

use crafty_syntax::ast::Span;
use crafty_syntax::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "W0104",
    name: "hole-sign",
    severity: Severity::Warning,
    title: "a variable in braces without `$`",
    explanation: "In a string `${n}` is the value of `n`, and `{n}` is three characters of text. If you mean the text, write the brace as `\\x7b`.",
    bad: r#"n = 3
print("n is {n}")
"#,
    fixed: r#"n = 3
print("n is ${n}")
"#,
};

/// `place` is `{name}`.
pub(crate) fn at(place: Span, name: &str) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{{{name}}}` is text, and `{name}` is a variable"),
    )
    .suggest(
        format!("for its value write `${{{name}}}`"),
        place,
        format!("${{{name}}}"),
    )
    .help("if you mean the text, write the brace as `\\x7b`")
}
