//! `no-condition`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0305",
    name: "no-condition",
    severity: Severity::Error,
    title: "a condition is neither true nor false",
    explanation: "Nothing counts as true but `true`: say what is asked of a number, a string or a list.",
    bad: r#"lost = 3
if lost {
  print("lost")
}
"#,
    mended: r#"lost = 3
if lost != 0 {
  print("lost")
}
"#,
};
