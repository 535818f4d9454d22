//! `event-send`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0603",
    name: "event-send",
    severity: Severity::Error,
    title: "a packet depends on what arrived",
    explanation: "Under `exfiltration: none` the frames and their times must be the same on every network: nothing that is sent may depend on whether or when something arrived. A program that reacts to packets needs `exfiltration: false`, the default.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1], exfiltration: none }
PORTS = { icmp: [77], udp: [40000] }
/IP!(dst=192.0.2.1) {
  ICMP(type=echo_request, id=77, seq=1)
  expect timeout=1s /IP/ICMP(type == echo_reply) { }
  ICMP(type=echo_request, id=77, seq=2)
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1], exfiltration: false }
PORTS = { icmp: [77], udp: [40000] }
/IP!(dst=192.0.2.1) {
  ICMP(type=echo_request, id=77, seq=1)
  expect timeout=1s /IP/ICMP(type == echo_reply) { }
  ICMP(type=echo_request, id=77, seq=2)
}
"#,
};
