//! `unread-layer`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0418",
    name: "unread-layer",
    severity: Severity::Error,
    title: "a layer that the packet is not known to have",
    explanation: "A matched packet has the layers that its pattern names, the link layers, and, with a `*` in the pattern, any layer. A sent packet has the layers that were written or filled in.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  on linger=1s /IP/ICMP {
    print(MATCH[UDP].dst)
  }
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  on linger=1s /IP/ICMP/IP/UDP {
    print(MATCH[UDP].dst)
  }
}
"#,
};
