//! `mixed-array`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0309",
    name: "mixed-array",
    severity: Severity::Error,
    title: "an array of several types",
    explanation: "All elements of an array have the same type.",
    bad: r#"xs = [1, "two"]
print(length(xs))
"#,
    fixed: r#"xs = ["1", "two"]
print(length(xs))
"#,
};
