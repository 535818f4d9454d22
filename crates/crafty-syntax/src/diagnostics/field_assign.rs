//! `field-assign`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0126",
    name: "field-assign",
    severity: Severity::Error,
    title: "a field of a packet is changed",
    explanation: "A packet is a record of what was sent or received and does not change. Set fields where the packet is written: `IP(ttl=3)/UDP(…)`.",
    bad: r#"PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], icmp: [77] }
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  p = Bytes("x")
  p[IP].ttl := 3
}
"#,
    fixed: r#"PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], icmp: [77] }
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  p = IP(ttl=3)/UDP/Bytes("x")
  print("${p[IP].ttl}")
}
"#,
};

/// `name[…].field` is where an assignment begins.
pub(crate) fn at(place: Span, name: &str) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{name}` is a packet, and packets cannot change"),
    )
    .help("set its fields where it is sent: `IP(ttl=3)/UDP(…)`")
}
