//! `endless-work`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0608",
    name: "endless-work",
    severity: Severity::Error,
    title: "too many statements without a wait",
    explanation: "Limits keep a program from occupying the machine forever: 100,000,000 statements without a wait in the main program, 1,000,000 in one run of a handler.",
    bad: r#"n = 0
foreach a 1..100000 {
  foreach b 1..100000 { n += 1 }
}
print(n)
"#,
    fixed: r#"n = 0
foreach a 1..1000 {
  foreach b 1..1000 { n += 1 }
}
print(n)
"#,
};
