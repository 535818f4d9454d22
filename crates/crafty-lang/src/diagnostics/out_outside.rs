//! `out-outside`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0721",
    name: "out-outside",
    severity: Severity::Error,
    title: "`on out` without a connection",
    explanation: "`on out` works on the segments that the stack of a connection sends. Put it into the block of a `TCP!`, or into an `IP!` block in which connections are opened, where it applies to the handshake too. Packets that the program itself writes are sent as written.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/UDP!(dst=7) {
  on out drop count=1 /IP/UDP
  Bytes("x")
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=7) {
  on out drop count=1 TCP/Bytes
  Bytes("x")
}
"#,
};
