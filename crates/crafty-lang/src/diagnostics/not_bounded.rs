//! `not-bounded`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0705",
    name: "not-bounded",
    severity: Severity::Error,
    title: "a loop without a constant bound",
    explanation: "`count` and both ends of a range must be constants or have a constant upper bound, as in `min(x, 100)` or `choose(x, [1, 10])`. Then the worst case is known before the program runs.",
    bad: r#"n = 3
n += 1
repeat count=n {
  print("x")
}
"#,
    fixed: r#"n = 3
n += 1
repeat count=min(n, 10) {
  print("x")
}
"#,
};
