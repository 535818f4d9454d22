//! `not-carried`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0406",
    name: "not-carried",
    severity: Severity::Error,
    title: "a layer is on top of one that cannot carry it",
    explanation: "Each layer can be on top of certain other layers. To send another combination, set the field that names the next protocol, or write the bytes as `Bytes`.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  IP(ttl=3)/DNS(qname="example.com")
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  IP(ttl=3)/UDP(src=40000, dst=53)/DNS(qname="example.com")
}
"#,
};
