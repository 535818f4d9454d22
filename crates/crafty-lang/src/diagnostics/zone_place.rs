//! `zone-place`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0321",
    name: "zone-place",
    severity: Severity::Error,
    title: "an address with a zone where a value is wanted",
    explanation: "Values hold no zone. In `IP!(dst=fe80::1%eth0)` it says which interface is meant; elsewhere leave it out.",
    bad: r#"a = fe80::1%eth0
print(a)
"#,
    mended: r#"a = fe80::1
print(a)
"#,
};
