//! `membership`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0317",
    name: "membership",
    severity: Severity::Error,
    title: "a test with the wrong word",
    explanation: "`x in xs` tests for an element of an array, an address in a net, or a number in a range. `whole has part` tests for a part of bytes or of a string, and for flags. For maps and packets there is a function: `has(m, key)`, `has(p, VLAN)`.",
    bad: r#"m = map(key=0, default=0)
print(3 in m)
"#,
    fixed: r#"m = map(key=0, default=0)
print(has(m, 3))
"#,
};
