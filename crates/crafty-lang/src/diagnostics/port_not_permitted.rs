//! `port-not-permitted`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0509",
    name: "port-not-permitted",
    severity: Severity::Error,
    title: "a destination port is missing from `destination_ports`",
    explanation: "If `destination_ports` is given, TCP and UDP ports that it does not list are denied, also for a protocol that it does not mention. Without `destination_ports`, every port of the destinations is allowed.",
    bad: r#"BUDGET = { max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1], destination_ports: { tcp: [80] } }
PORTS = { tcp: [45000] }
/IP!(dst=192.0.2.1)/TCP!(dst=443) {
  Bytes("x")
}
"#,
    fixed: r#"BUDGET = { max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1], destination_ports: { tcp: [80, 443] } }
PORTS = { tcp: [45000] }
/IP!(dst=192.0.2.1)/TCP!(dst=443) {
  Bytes("x")
}
"#,
};
