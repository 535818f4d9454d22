//! `auto-place`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0322",
    name: "auto-place",
    severity: Severity::Error,
    title: "`auto` where the stack fills in nothing",
    explanation: "`auto` stands for what the driven stack would send now. A field can be set to it, and `auto + n` or `auto - n` changes a number. It is not a value and cannot be read.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=80) {
  x = auto
  print(x)
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=80) {
  x = STACK[TCP].snd_nxt
  print(x)
}
"#,
};
