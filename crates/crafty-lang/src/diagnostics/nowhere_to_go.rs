//! `nowhere-to-go`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0405",
    name: "nowhere-to-go",
    severity: Severity::Error,
    title: "a stack has nothing to go on",
    explanation: "A stack without a leading `/` replaces the driven layer of the same kind, or goes on the highest driven layer of the block that can carry it. If there is none, start at the bottom with `/`.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
ICMP(type=echo_request, id=77)
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  ICMP(type=echo_request, id=77)
}
"#,
};
