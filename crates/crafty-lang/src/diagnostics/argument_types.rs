//! `argument-types`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0316",
    name: "argument-types",
    severity: Severity::Error,
    title: "a function gets values of the wrong types",
    explanation: "Each function takes values of certain types. Literals adapt to them; other values must be converted, as in `float(n)`.",
    bad: r#"print(mean("abc"))
"#,
    fixed: r#"print(mean([1, 2]))
"#,
};
