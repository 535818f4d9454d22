//! `unknown-statement-option`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0703",
    name: "unknown-statement-option",
    severity: Severity::Error,
    title: "a statement has no such option",
    explanation: "`repeat` takes `count every until for`, `foreach` takes `every until for`, `on` takes `linger count`, `expect` takes `timeout`.",
    bad: r#"repeat times=3 {
  print("x")
}
"#,
    fixed: r#"repeat count=3 {
  print("x")
}
"#,
};
