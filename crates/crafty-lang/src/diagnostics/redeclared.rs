//! `redeclared`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0202",
    name: "redeclared",
    severity: Severity::Error,
    title: "a name is declared again",
    explanation: "Blocks are scopes, and there is no shadowing: `name = value` declares a name, `name := value` changes its value. Two blocks of which neither contains the other may declare the same name.",
    bad: r#"done = false
if 1 < 2 {
  done = true
}
"#,
    fixed: r#"done = false
if 1 < 2 {
  done := true
}
"#,
};
