//! `no-elements`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0310",
    name: "no-elements",
    severity: Severity::Error,
    title: "a value without elements is indexed",
    explanation: "Arrays are indexed by position, maps by key, and bytes by position (one byte) or with a slice, `b[2:6]`. Strings cannot be indexed; use `bytes(s)`.",
    bad: r#"name = "probe"
print(name[0])
"#,
    fixed: r#"name = "probe"
print(bytes(name)[0])
"#,
};
