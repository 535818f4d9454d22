//! `setting-place`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0503",
    name: "setting-place",
    severity: Severity::Error,
    title: "a declaration in the wrong place",
    explanation: "Settings and params must be at the top level of the program, settings before the first statement that does something, so that a reviewer reads them first.",
    bad: r#"print("start")
BUDGET = { max_packets: 5 }
"#,
    fixed: r#"BUDGET = { max_packets: 5 }
print("start")
"#,
};
