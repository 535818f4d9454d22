//! `not-drivable`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0408",
    name: "not-drivable",
    severity: Severity::Error,
    title: "a layer that cannot be driven",
    explanation: "The program's own stack drives `IP!`, `UDP!`, `TCP!`, `TLS!`, `HTTP!` and `DNS!`; `IP!` may be of either family. Any other layer is literal: written without `!`, and sent once for each statement.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP6!(dst=192.0.2.1) {
  print("up")
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  print("up")
}
"#,
};
