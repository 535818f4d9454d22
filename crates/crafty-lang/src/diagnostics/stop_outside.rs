//! `stop-outside`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0706",
    name: "stop-outside",
    severity: Severity::Error,
    title: "`stop` outside a loop",
    explanation: "`stop` ends the nearest loop around it; in a handler only a loop of the handler itself. `exit` ends the program well, `fail \"why\"` with status 1.",
    bad: r#"if 1 < 2 {
  stop
}
"#,
    mended: r#"if 1 < 2 {
  exit
}
"#,
};
