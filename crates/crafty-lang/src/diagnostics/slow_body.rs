//! `slow-body`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "W0103",
    name: "slow-body",
    severity: Severity::Warning,
    title: "a loop body that outlasts its `every`",
    explanation: "Iterations start on the grid of `every`; when the body waits longer, points of the grid are skipped, never made up.",
    bad: r#"repeat count=3 every=100ms {
  wait 1s
}
"#,
    mended: r#"repeat count=3 every=1s {
  wait 1s
}
"#,
};
