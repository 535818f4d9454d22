//! `match-outside`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0210",
    name: "match-outside",
    severity: Severity::Error,
    title: "`MATCH` where no packet was matched",
    explanation: "`MATCH` is the packet that the innermost arm of `expect`, handler or `where` matched; `as m` gives it a name. To read a packet that the program sends, name it where it is sent.",
    bad: r#"print(MATCH[IP].ttl)
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  on linger=1s /IP/ICMP {
    print(MATCH[IP].ttl)
  }
}
"#,
};
