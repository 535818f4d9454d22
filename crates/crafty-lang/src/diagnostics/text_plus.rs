//! `text-plus`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0303",
    name: "text-plus",
    severity: Severity::Error,
    title: "`+` joins a string and something else",
    explanation: "`+` joins strings. To put another value into a string, write `${…}`, with a format after a colon: `\"${ratio:.2}\"`.",
    bad: r#"p = 80
print("port " + p)
"#,
    fixed: r#"p = 80
print("port ${p}")
"#,
};
