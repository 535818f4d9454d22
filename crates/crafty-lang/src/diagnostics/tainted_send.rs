//! `tainted-send`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0601",
    name: "tainted-send",
    severity: Severity::Error,
    title: "a packet would carry received data",
    explanation: "Without `exfiltration: true` received data must not become part of what is sent: not as a field, not as payload, not as a length or a number of repetitions computed from it. (The length of a received datagram is an event, not content: the review counts the bits that it can reveal.) Put the test that decides whether to send into a pattern. The stack can answer a sender (omit `dst`), `choose` and `one_of` pick from a constant list, and `auto` lets the stack fill a field.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000] }
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  Bytes("hello")
  expect timeout=1s /IP!/UDP!/Bytes {
    Bytes(MATCH[Bytes].data)
  }
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000] }
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  Bytes("hello")
  expect timeout=1s /IP!/UDP!/Bytes {
    Bytes("thanks")
  }
}
"#,
};
