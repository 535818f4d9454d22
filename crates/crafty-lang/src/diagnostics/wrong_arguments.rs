//! `wrong-arguments`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0209",
    name: "wrong-arguments",
    severity: Severity::Error,
    title: "a function is called with the wrong arguments",
    explanation: "Give arguments in the order of the manual, or by name: `map(key=0, default=0s)`.",
    bad: r#"print(div(7))
"#,
    fixed: r#"print(div(7, 2))
"#,
};
