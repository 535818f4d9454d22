//! `no-elements`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0310",
    name: "no-elements",
    severity: Severity::Error,
    title: "this has no elements",
    explanation: "Arrays are indexed by position, maps by key, bytes by position (one byte) or as a slice `b[2:6]`. Strings are not indexed: take `bytes(s)`.",
    bad: r#"name = "probe"
print(name[0])
"#,
    mended: r#"name = "probe"
print(bytes(name)[0])
"#,
};
