//! `argument-types`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0316",
    name: "argument-types",
    severity: Severity::Error,
    title: "a function is given values of other types",
    explanation: "Each function names the types that it takes; literals adapt, values are converted by hand.",
    bad: r#"print(mean("abc"))
"#,
    mended: r#"print(mean([1, 2]))
"#,
};
