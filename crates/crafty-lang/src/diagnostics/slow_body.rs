//! `slow-body`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "W0103",
    name: "slow-body",
    severity: Severity::Warning,
    title: "a loop body that waits longer than its `every`",
    explanation: "Rounds start at multiples of `every` after the first. If the body waits longer, the rounds that it misses are skipped and not made up for.",
    bad: r#"repeat count=3 every=100ms {
  wait 1s
}
"#,
    fixed: r#"repeat count=3 every=1s {
  wait 1s
}
"#,
};
