//! `endless-loop`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0704",
    name: "endless-loop",
    severity: Severity::Error,
    title: "a loop without an end",
    explanation: "Every loop is bounded: by `count`, or by time, which passes only where something waits. A `repeat` without `count` has `every`, or waits on every way through its body; then `max_duration` bounds it.",
    bad: r#"n = 0
repeat until=n > 5 {
  n += 1
}
"#,
    mended: r#"n = 0
repeat count=100 until=n > 5 {
  n += 1
}
"#,
};
