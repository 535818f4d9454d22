//! `unknown-name`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0201",
    name: "unknown-name",
    severity: Severity::Error,
    title: "a name is not declared",
    explanation: "A name is visible from its declaration (`name = value`) to the end of its block; handlers see what was declared before their `on`. A named value of a field can be written alone only where that field is set or compared; elsewhere write it with its layer: `ICMP.echo_reply`.",
    bad: r#"lost = 0
print(lots)
"#,
    fixed: r#"lost = 0
print(lost)
"#,
};
