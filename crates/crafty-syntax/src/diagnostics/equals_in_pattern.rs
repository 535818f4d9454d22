//! `equals-in-pattern`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0170",
    name: "equals-in-pattern",
    severity: Severity::Error,
    title: "`=` where a pattern compares",
    explanation: "A pattern compares fields: `ICMP(type == echo_reply)`. `=` sets fields, in stacks that are sent.",
    bad: r#"PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], icmp: [77] }
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  Bytes("x")
  expect timeout=1s /IP/UDP(src=7) { print("yes") }
}
"#,
    fixed: r#"PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], icmp: [77] }
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  Bytes("x")
  expect timeout=1s /IP/UDP(src == 7) { print("yes") }
}
"#,
};

/// `place` is the `=` after `field`.
pub(crate) fn at(place: Span, field: &str) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("in a pattern compare `{field}` with `==`"),
    )
    .fix("write `==`", place, " == ")
}
