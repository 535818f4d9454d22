//! `setting-value`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0502",
    name: "setting-value",
    severity: Severity::Error,
    title: "a setting with the wrong kind of value",
    explanation: "Each key takes one kind of value; zero means none, never \"no limit\".",
    bad: r#"PERMISSIONS = { destinations: 192.0.2.1 }
"#,
    fixed: r#"PERMISSIONS = { destinations: [192.0.2.1] }
"#,
};
