//! `pattern-value`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0417",
    name: "pattern-value",
    severity: Severity::Error,
    title: "a value in a pattern where a condition is needed",
    explanation: "In a pattern the parentheses contain conditions: a field, a comparison and a value.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/UDP!(dst=7) {
  expect timeout=1s /IP!/UDP!/Bytes("pong") {
    print("answer")
  }
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/UDP!(dst=7) {
  expect timeout=1s /IP!/UDP!/Bytes(data == "pong") {
    print("answer")
  }
}
"#,
};
