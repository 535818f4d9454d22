//! `type-mismatch`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0301",
    name: "type-mismatch",
    severity: Severity::Error,
    title: "a value of the wrong type",
    explanation: "Types are inferred and never converted automatically. Only literals adapt: a string literal can be bytes, a whole number can be a float. Convert other values explicitly: `bytes(s)`, `float(n)`, `int(x)`, `\"${n}\"`.",
    bad: r#"name = "probe"
name := 5
print(name)
"#,
    fixed: r#"name = "probe"
name := "5"
print(name)
"#,
};
