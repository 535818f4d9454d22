//! `param-value`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0513",
    name: "param-value",
    severity: Severity::Error,
    title: "a param without a valid value",
    explanation: "The command line gives a param one literal of its type, by name: `crafty run probe.crafty target=192.0.2.9`. A param without a default must be given.",
    bad: r#"param count: int = "many"
print(count)
"#,
    fixed: r#"param count: int = 5
print(count)
"#,
};
