//! `not-assignable`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0204",
    name: "not-assignable",
    severity: Severity::Error,
    title: "this name cannot be assigned",
    explanation: "Loop variables, params, the `e` of an `else` and matched packets cannot be assigned. Declare another variable and assign that.",
    bad: r#"foreach n 1..3 {
  n := 5
}
"#,
    fixed: r#"foreach n 1..3 {
  m = 5
  print(m)
}
"#,
};
