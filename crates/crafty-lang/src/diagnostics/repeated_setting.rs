//! `repeated-setting`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0504",
    name: "repeated-setting",
    severity: Severity::Error,
    title: "a setting is given twice",
    explanation: "`BUDGET`, `PORTS` and `PERMISSIONS` can each be given only once, with each key once.",
    bad: r#"BUDGET = { max_packets: 5 }
BUDGET = { max_bytes: 1KB }
"#,
    fixed: r#"BUDGET = { max_packets: 5, max_bytes: 1KB }
"#,
};
