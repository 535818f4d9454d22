//! `undriven-pattern`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0415",
    name: "undriven-pattern",
    severity: Severity::Error,
    title: "a pattern with `!` outside a block that drives it",
    explanation: "With `!` a pattern matches what the driven stack of the enclosing block delivers, and only the traffic of that stack. To match frames as they are on the wire, write no `!`.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  on linger=1s /IP!/UDP!/Bytes {
    print("heard")
  }
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/UDP!(dst=7) {
  on linger=1s /IP!/UDP!/Bytes {
    print("heard")
  }
}
"#,
};
