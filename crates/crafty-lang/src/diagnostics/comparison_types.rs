//! `comparison-types`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0311",
    name: "comparison-types",
    severity: Severity::Error,
    title: "two values that cannot be compared",
    explanation: "A comparison needs two values of the same type. `in` tests for an element of an array, an address in a net, or a number in a range; `has` tests for a part of bytes or of a string, and for flags.",
    bad: r#"print(1 == "1")
"#,
    fixed: r#"print("1" == "1")
"#,
};
