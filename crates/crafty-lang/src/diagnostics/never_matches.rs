//! `never-matches`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0421",
    name: "never-matches",
    severity: Severity::Error,
    title: "a pattern that no packet matches",
    explanation: "Each layer of a pattern is directly on top of the one before it. `*` stands for any layers in between.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  on linger=1s /IP/DNS {
    print("heard")
  }
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  on linger=1s /IP/*/DNS {
    print("heard")
  }
}
"#,
};
