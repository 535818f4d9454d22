//! `mixed-numbers`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0306",
    name: "mixed-numbers",
    severity: Severity::Error,
    title: "an int and a float together",
    explanation: "Ints and floats cannot be mixed, so that nothing is rounded unseen. A whole-number literal adapts; convert other values with `float(n)` or `round(x)`.",
    bad: r#"n = 3
print(n * 0.5)
"#,
    fixed: r#"n = 3
print(float(n) * 0.5)
"#,
};
