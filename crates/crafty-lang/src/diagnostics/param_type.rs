//! `param-type`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0506",
    name: "param-type",
    severity: Severity::Error,
    title: "a param of a type that the command line cannot give",
    explanation: "A param has the type of its default, or the declared type: `param target: ip`. The command line gives one literal of that type; elements of an array are separated by commas.",
    bad: r#"param target: address = 192.0.2.1
print(target)
"#,
    fixed: r#"param target: ip = 192.0.2.1
print(target)
"#,
};
