//! `comparison-types`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0311",
    name: "comparison-types",
    severity: Severity::Error,
    title: "two things that cannot be compared",
    explanation: "A comparison stands between values of one type; `in` asks for an element, a net or a range, `has` for a part of bytes or strings and for flags.",
    bad: r#"print(1 == "1")
"#,
    mended: r#"print("1" == "1")
"#,
};
