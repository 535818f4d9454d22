//! `not-bounded`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0705",
    name: "not-bounded",
    severity: Severity::Error,
    title: "a loop whose bound is not known",
    explanation: "`count` and both ends of a range are constants, or have a constant above them: `min(x, 100)`, `choose(x, [1, 10])`. So the worst case is known before the start.",
    bad: r#"n = 3
n += 1
repeat count=n {
  print("x")
}
"#,
    mended: r#"n = 3
n += 1
repeat count=min(n, 10) {
  print("x")
}
"#,
};
