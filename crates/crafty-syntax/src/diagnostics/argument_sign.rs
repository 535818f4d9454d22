//! `argument-sign`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0165",
    name: "argument-sign",
    severity: Severity::Error,
    title: "`:` where a field is set",
    explanation: "Set fields with `=`: `IP(ttl=3)`.",
    bad: r#"PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], icmp: [77] }
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  IP(ttl: 3)/UDP/Bytes("x")
}
"#,
    fixed: r#"PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], icmp: [77] }
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  IP(ttl=3)/UDP/Bytes("x")
}
"#,
};

/// `place` is the `:` after `field`.
pub(crate) fn at(place: Span, field: &str) -> Occurrence {
    Occurrence::new(&DIAGNOSTIC, place, format!("set `{field}` with `=`")).fix(
        "write `=`",
        place,
        "=",
    )
}
