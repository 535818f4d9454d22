//! `unknown-power`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0505",
    name: "unknown-power",
    severity: Severity::Error,
    title: "there is no such power",
    explanation: "Powers are named abilities that ordinary probing does not need; `crafty manual powers` lists them.",
    bad: r#"PERMISSIONS = { powers: [fragment] }
"#,
    fixed: r#"PERMISSIONS = { powers: [fragments] }
"#,
};
