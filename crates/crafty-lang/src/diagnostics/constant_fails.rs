//! `constant-fails`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0312",
    name: "constant-fails",
    severity: Severity::Error,
    title: "this computation always fails",
    explanation: "The values are known before the program runs, and the operation fails with them: it would raise an error in every run.",
    bad: r#"print(div(10, 5) / 0)
x = 1 / 0
print(x)
"#,
    fixed: r#"print(div(10, 5) / 1)
x = 1 / 1
print(x)
"#,
};
