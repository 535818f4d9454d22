//! `repeated-setting`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0504",
    name: "repeated-setting",
    severity: Severity::Error,
    title: "a setting stands twice",
    explanation: "Each of `BUDGET`, `PORTS` and `PERMISSIONS` stands once, with each key once.",
    bad: r#"BUDGET = { max_packets: 5 }
BUDGET = { max_bytes: 1KB }
"#,
    mended: r#"BUDGET = { max_packets: 5, max_bytes: 1KB }
"#,
};
