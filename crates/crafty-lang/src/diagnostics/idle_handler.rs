//! `idle-handler`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "W0101",
    name: "idle-handler",
    severity: Severity::Warning,
    title: "a handler after which nothing waits",
    explanation: "Handlers run only while a statement waits: in `wait`, `expect`, the pause of `every`, the opening and closing of a connection, and the `linger` that keeps a block open.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/UDP!(dst=7) {
  on /IP!/UDP!/Bytes {
    print("heard")
  }
  Bytes("x")
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/UDP!(dst=7) {
  on linger=1s /IP!/UDP!/Bytes {
    print("heard")
  }
  Bytes("x")
}
"#,
};
