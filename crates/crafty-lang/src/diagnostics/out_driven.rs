//! `out-driven`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0723",
    name: "out-driven",
    severity: Severity::Error,
    title: "a pattern of `on out` with `!`",
    explanation: "With `!` a pattern matches data that a driven stack delivers, and outgoing segments are not delivered. Match them as frames: `/IP/TCP(flags has fin)`, or `TCP(flags has fin)` for either family in the block.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=7) {
  on out drop count=1 /IP!/TCP(flags has fin)
  Bytes("x")
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=7) {
  on out drop count=1 /IP/TCP(flags has fin)
  Bytes("x")
}
"#,
};
