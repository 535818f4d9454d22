//! `pattern-start`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0419",
    name: "pattern-start",
    severity: Severity::Error,
    title: "a pattern starts with a layer that cannot be there",
    explanation: "With a leading `/` a pattern starts at the bottom of the stack (link layers are skipped unless named). Without it, the pattern continues the stack of the block, as a send would.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  on linger=1s /UDP(dst == 40000) {
    print("heard")
  }
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  on linger=1s /IP/UDP(dst == 40000) {
    print("heard")
  }
}
"#,
};
