//! `to-whom`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0410",
    name: "to-whom",
    severity: Severity::Error,
    title: "a send in a serving block without a receiver",
    explanation: "A serving block has many peers. In an arm or handler a send goes to the peer whose data was matched; elsewhere there is no receiver.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!/UDP!(src=40000) {
  wait 1s
  Bytes("hello")
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
