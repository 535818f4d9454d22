//! `pattern-content`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0604",
    name: "pattern-content",
    severity: Severity::Error,
    title: "a pattern compares with received data",
    explanation: "A pattern is the visible place where a program decides, so it can compare only with values that do not depend on received data: constants, the program's own values, lengths and times. Match more packets with a wider pattern, and test them in the block.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000] }
/IP!(dst=192.0.2.1) {
  first = 0
  ICMP(type=echo_request, id=77, seq=1)
  expect timeout=1s /IP/ICMP(type == echo_reply) { first := MATCH[IP].ttl }
  expect timeout=1s /IP(ttl == first)/ICMP(type == echo_reply) { print("the same") }
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000] }
/IP!(dst=192.0.2.1) {
  first = 0
  ICMP(type=echo_request, id=77, seq=1)
  expect timeout=1s /IP/ICMP(type == echo_reply) { first := MATCH[IP].ttl }
  expect timeout=1s /IP/ICMP(type == echo_reply) {
    if MATCH[IP].ttl == first { print("the same") }
  }
}
"#,
};
