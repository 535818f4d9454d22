//! `bad-pattern`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0420",
    name: "bad-pattern",
    severity: Severity::Error,
    title: "a pattern that makes no sense",
    explanation: "A pattern names a sequence of at most 16 layers. `Bytes` is the rest of the packet, and only `/End` can follow it. Nothing can follow `/End`.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  on linger=1s /IP/ICMP/End/Bytes {
    print("heard")
  }
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  on linger=1s /IP/ICMP/Bytes/End {
    print("heard")
  }
}
"#,
};
