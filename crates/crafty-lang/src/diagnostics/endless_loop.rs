//! `endless-loop`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0704",
    name: "endless-loop",
    severity: Severity::Error,
    title: "a loop without an end",
    explanation: "Every loop must have a bound: `count`, or time, which passes only while a statement waits. A `repeat` without `count` needs `every`, or a wait on every path through its body; then `max_duration` is its bound.",
    bad: r#"n = 0
repeat until=n > 5 {
  n += 1
}
"#,
    fixed: r#"n = 0
repeat count=100 until=n > 5 {
  n += 1
}
"#,
};
