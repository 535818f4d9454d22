//! `header-test`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0166",
    name: "header-test",
    severity: Severity::Error,
    title: "`==` where a field is set",
    explanation: "In a stack that is sent or opened, `=` sets a field. `==` compares fields in patterns.",
    bad: r#"PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], icmp: [77] }
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  IP(ttl == 3)/UDP/Bytes("x")
}
"#,
    fixed: r#"PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], icmp: [77] }
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  IP(ttl=3)/UDP/Bytes("x")
}
"#,
};

/// `place` is the sign after `field`, with the blanks around it.
pub(crate) fn at(place: Span, field: &str) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("set `{field}` with `=` here; `==` compares"),
    )
    .fix("write `=`", place, "=")
}
