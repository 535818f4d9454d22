//! `not-bounded`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0705",
    name: "not-bounded",
    severity: Severity::Error,
    title: "a loop without a constant bound",
    explanation: "Where the body of a loop sends or waits, `count` and both ends of a range must be constants or have a constant upper bound, as in `min(x, 100)` or `choose(x, [1, 10])`. Then the worst case is known before the program runs. A body that only computes and prints may run as often as it likes: `max_duration` bounds how long it computes.",
    bad: r#"n = 3
n += 1
repeat count=n {
  wait 1s
}
"#,
    fixed: r#"n = 3
n += 1
repeat count=min(n, 10) {
  wait 1s
}
"#,
};
