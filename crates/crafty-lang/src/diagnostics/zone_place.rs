//! `zone-place`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0321",
    name: "zone-place",
    severity: Severity::Error,
    title: "an address with a zone where zones are not allowed",
    explanation: "A value cannot have a zone. In `IP!(dst=fe80::1%eth0)` the zone names the interface; elsewhere remove it.",
    bad: r#"a = fe80::1%eth0
print(a)
"#,
    fixed: r#"a = fe80::1
print(a)
"#,
};
