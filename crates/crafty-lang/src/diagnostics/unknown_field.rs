//! `unknown-field`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0206",
    name: "unknown-field",
    severity: Severity::Error,
    title: "the layer has no such field",
    explanation: "Fields have the names of their RFC, in lower case and short: `src`, `dst`, `ttl`, `seq`. `crafty manual TCP` lists the fields of a layer.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  UDP(src=40000, dport=7)/Bytes("x")
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  UDP(src=40000, dst=7)/Bytes("x")
}
"#,
};
