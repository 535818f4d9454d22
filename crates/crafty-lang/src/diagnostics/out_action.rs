//! `out-action`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0722",
    name: "out-action",
    severity: Severity::Error,
    title: "`on out` without an action, or with two",
    explanation: "Each `on out` has one action for the segments that it matches: `drop` (not sent), `hold` (sent at `release`), `duplicate` (sent twice), `delay=50ms` (sent later), `split=100` (sent as two segments, split after that many bytes of payload). Several `on out` apply in the order of the program.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=7) {
  on out count=1 TCP/Bytes
  Bytes("x")
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=7) {
  on out delay=50ms count=1 TCP/Bytes
  Bytes("x")
}
"#,
};
