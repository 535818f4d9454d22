//! `out-action`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0722",
    name: "out-action",
    severity: Severity::Error,
    title: "`on out` does not say what becomes of the segment, or says it twice",
    explanation: "Each `on out` does one thing: `drop` (it never leaves), `hold` (it leaves at `release`), `duplicate` (it leaves twice), `delay=50ms` (later), `split=100` (as two, cut after so many bytes of payload). Several pass a segment on in the order in which they stand.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=7) {
  on out count=1 TCP/Bytes
  Bytes("x")
}
"#,
    mended: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=7) {
  on out delay=50ms count=1 TCP/Bytes
  Bytes("x")
}
"#,
};
