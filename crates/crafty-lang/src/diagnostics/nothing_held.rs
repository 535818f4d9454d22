//! `nothing-held`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0724",
    name: "nothing-held",
    severity: Severity::Error,
    title: "`release` without a hold",
    explanation: "`release` sends all segments that an `on out hold` before it has held, in this block or an enclosing one.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=7) {
  Bytes("x")
  release
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=7) {
  on out hold count=1 TCP/Bytes
  Bytes("x")
  wait 50ms
  release
}
"#,
};
