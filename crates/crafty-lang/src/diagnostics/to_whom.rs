//! `to-whom`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0410",
    name: "to-whom",
    severity: Severity::Error,
    title: "a send of a serving block that answers nobody",
    explanation: "Where peers come and go, each thing received carries its peer: in its arm or handler a send goes to that peer. Elsewhere nobody is meant.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!/UDP!(src=40000) {
  wait 1s
  Bytes("hello")
}
"#,
    mended: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!/UDP!(src=40000) {
  expect timeout=1s /IP!/UDP!/Bytes {
    Bytes("hello")
  }
}
"#,
};
