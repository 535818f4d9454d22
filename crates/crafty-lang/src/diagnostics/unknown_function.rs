//! `unknown-function`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0203",
    name: "unknown-function",
    severity: Severity::Error,
    title: "there is no such function",
    explanation: "There are few functions, each for one task of network diagnosis, and programs cannot define their own. `crafty manual functions` lists them.",
    bad: r#"print(len([1, 2]))
"#,
    fixed: r#"print(length([1, 2]))
"#,
};
