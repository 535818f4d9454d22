//! `not-at-bottom`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0404",
    name: "not-at-bottom",
    severity: Severity::Error,
    title: "a stack starts with a layer that cannot be at the bottom",
    explanation: "A line that starts with `/` begins a new stack at the bottom: at the link layer or at IP. Without the `/`, a stack goes on the stack of the enclosing block. To continue the line above, end that line with `/`.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/UDP!(dst=7) {
  /Bytes("x")
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/UDP!(dst=7) {
  Bytes("x")
}
"#,
};
