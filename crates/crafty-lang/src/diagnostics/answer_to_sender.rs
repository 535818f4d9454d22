//! `answer-to-sender`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0411",
    name: "answer-to-sender",
    severity: Severity::Error,
    title: "an answer that names its receiver",
    explanation: "In an arm of a serving block a send goes automatically to the peer that sent the matched data. Naming the address would put received bytes into a packet.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!/UDP!(src=40000) {
  expect timeout=1s /IP!/UDP!/Bytes {
    IP(dst=MATCH[IP].src)/UDP()/Bytes("hello")
  }
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!/UDP!(src=40000) {
  expect timeout=1s /IP!/UDP!/Bytes {
    Bytes("hello")
  }
}
"#,
};
