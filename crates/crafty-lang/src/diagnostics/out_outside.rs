//! `out-outside`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0721",
    name: "out-outside",
    severity: Severity::Error,
    title: "`on out` where no connection is",
    explanation: "`on out` takes the segments that the stack of a connection sends: it stands in the block of a `TCP!`, or in an `IP!` block in which connections are opened, where it reaches the handshake too. What the program itself writes is sent as it is written.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/UDP!(dst=7) {
  on out drop count=1 /IP/UDP
  Bytes("x")
}
"#,
    mended: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=7) {
  on out drop count=1 TCP/Bytes
  Bytes("x")
}
"#,
};
