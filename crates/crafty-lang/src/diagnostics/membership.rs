//! `membership`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0317",
    name: "membership",
    severity: Severity::Error,
    title: "asked with the wrong word",
    explanation: "`x in xs` looks for an element of an array, an address in a net, a number in a range; `whole has part` for a part of bytes or strings, and for flags; maps and packets are asked with the function: `has(m, key)`, `has(p, VLAN)`.",
    bad: r#"m = map(key=0, default=0)
print(3 in m)
"#,
    mended: r#"m = map(key=0, default=0)
print(has(m, 3))
"#,
};
