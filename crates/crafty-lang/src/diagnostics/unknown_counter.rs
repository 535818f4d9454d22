//! `unknown-counter`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0212",
    name: "unknown-counter",
    severity: Severity::Error,
    title: "the stack has no such counter",
    explanation: "`STACK[…]` has the counters of the driven layers of its block and of the layers below; `crafty manual STACK` lists them.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=80) {
  Bytes("hi")
  print(STACK[TCP].rtt)
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=80) {
  Bytes("hi")
  print(STACK[TCP].srtt)
}
"#,
};
