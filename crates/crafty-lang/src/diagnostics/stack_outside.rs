//! `stack-outside`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0211",
    name: "stack-outside",
    severity: Severity::Error,
    title: "`STACK` outside a driven block",
    explanation: "`STACK[TCP].srtt` reads the state of the innermost enclosing driven block. After the block the state is gone: keep what you need in a variable.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=80) {
  Bytes("hi")
}
print(STACK[TCP].srtt)
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=80) {
  Bytes("hi")
  print(STACK[TCP].srtt)
}
"#,
};
