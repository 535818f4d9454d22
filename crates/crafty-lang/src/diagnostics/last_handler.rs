//! `last-handler`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "W0102",
    name: "last-handler",
    severity: Severity::Warning,
    title: "a handler that is last in its block",
    explanation: "A handler ends with its block. `linger=` keeps the block open for it after the last statement.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/UDP!(dst=7) {
  Bytes("x")
  on /IP!/UDP!/Bytes {
    print("heard")
  }
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/UDP!(dst=7) {
  Bytes("x")
  on linger=1s /IP!/UDP!/Bytes {
    print("heard")
  }
}
"#,
};
