//! `empty-container`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0308",
    name: "empty-container",
    severity: Severity::Error,
    title: "an empty array or map without types",
    explanation: "An empty array or map shows its types by example: `array(init=0s, len=0)` holds durations; `map(key=0, default=0s)` maps ints to durations, and the value of an absent key is `0s`.",
    bad: r#"xs = []
print(length(xs))
"#,
    fixed: r#"xs = array(init=0s, len=0)
print(length(xs))
"#,
};
