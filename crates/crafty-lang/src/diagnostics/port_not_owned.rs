//! `port-not-owned`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0510",
    name: "port-not-owned",
    severity: Severity::Error,
    title: "a local port that is not in `PORTS`",
    explanation: "The program owns the local ports in `PORTS`: the kernel is kept from answering for them, and the stack takes its source ports from them. A segment from another port could interfere with somebody else's connection and needs the power `inject`.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  UDP(src=40001, dst=7)/Bytes("x")
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  UDP(src=40000, dst=7)/Bytes("x")
}
"#,
};
