//! `no-condition`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0305",
    name: "no-condition",
    severity: Severity::Error,
    title: "a condition is neither true nor false",
    explanation: "Only `true` counts as true. For a number, a string or a list, write a comparison.",
    bad: r#"lost = 3
if lost {
  print("lost")
}
"#,
    fixed: r#"lost = 3
if lost != 0 {
  print("lost")
}
"#,
};
