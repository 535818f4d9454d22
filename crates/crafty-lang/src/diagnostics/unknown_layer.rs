//! `unknown-layer`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0205",
    name: "unknown-layer",
    severity: Severity::Error,
    title: "there is no such layer",
    explanation: "Every name that starts with a capital is a protocol layer (`crafty manual` lists them), except for the five reserved words. What has no layer of its own can be written and read as `Bytes`.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  ICPM(type=echo_request, id=77)
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  ICMP(type=echo_request, id=77)
}
"#,
};
