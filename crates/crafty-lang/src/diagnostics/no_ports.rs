//! `no-ports`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0511",
    name: "no-ports",
    severity: Severity::Error,
    title: "no local port to send from",
    explanation: "Driven stacks, and literal layers without `src` or `id`, take the lowest free port of `PORTS`. `PORTS` must list ports of that protocol.",
    bad: r#"BUDGET = { max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77] }
/IP!(dst=192.0.2.1)/UDP!(dst=7) {
  Bytes("x")
}
"#,
    fixed: r#"BUDGET = { max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000] }
/IP!(dst=192.0.2.1)/UDP!(dst=7) {
  Bytes("x")
}
"#,
};
