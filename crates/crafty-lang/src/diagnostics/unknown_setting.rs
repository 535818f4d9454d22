//! `unknown-setting`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0501",
    name: "unknown-setting",
    severity: Severity::Error,
    title: "there is no such setting",
    explanation: "`crafty manual settings` lists the keys of `BUDGET`, `PORTS` and `PERMISSIONS`.",
    bad: r#"BUDGET = { max_packets_per_sec: 100 }
"#,
    fixed: r#"BUDGET = { max_packets_per_secs: 100 }
"#,
};
