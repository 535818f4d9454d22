//! `two-ports`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "W0201",
    name: "two-ports",
    severity: Severity::Warning,
    title: "two ports that look like a range",
    explanation: "`tcp: [45000, 45100]` is two ports. A range is a list of its two ends inside the list: `[[45000, 45100]]`.",
    bad: r#"PORTS = { tcp: [45000, 45100] }
"#,
    fixed: r#"PORTS = { tcp: [[45000, 45100]] }
"#,
};
