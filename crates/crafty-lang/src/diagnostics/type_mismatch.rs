//! `type-mismatch`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0301",
    name: "type-mismatch",
    severity: Severity::Error,
    title: "a value is of another type than wanted",
    explanation: "Types are inferred and never convert by themselves; only literals adapt: a string literal stands for bytes, a whole number for a float. Otherwise say it: `bytes(s)`, `float(n)`, `int(x)`, `\"${n}\"`.",
    bad: r#"name = "probe"
name := 5
print(name)
"#,
    mended: r#"name = "probe"
name := "5"
print(name)
"#,
};
