//! `stop-outside`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0706",
    name: "stop-outside",
    severity: Severity::Error,
    title: "`stop` outside a loop",
    explanation: "`stop` ends the innermost enclosing loop; in a handler it can end only a loop of the handler itself. `exit` ends the program successfully, `fail \"why\"` with status 1.",
    bad: r#"if 1 < 2 {
  stop
}
"#,
    fixed: r#"if 1 < 2 {
  exit
}
"#,
};
