//! `tainted-guard`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0602",
    name: "tainted-guard",
    severity: Severity::Error,
    title: "whether a packet is sent depends on received data",
    explanation: "A send under a condition on received data reveals that data, one bit at a time. So does a send after a wait under such a condition, and a send in a block that stops when received data makes an operation fail. Move the test into the pattern of an `on` or `expect`.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000] }
/IP!(dst=192.0.2.1) {
  ICMP(type=echo_request, id=77, seq=1)
  expect timeout=1s /IP/ICMP(type == echo_reply) {
    if MATCH[IP].ttl > 60 { ICMP(type=echo_request, id=77, seq=2) }
  }
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000] }
/IP!(dst=192.0.2.1) {
  ICMP(type=echo_request, id=77, seq=1)
  expect timeout=1s /IP(ttl > 60)/ICMP(type == echo_reply) {
    ICMP(type=echo_request, id=77, seq=2)
  }
}
"#,
};
