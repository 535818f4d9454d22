//! `unknown-option`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0407",
    name: "unknown-option",
    severity: Severity::Error,
    title: "there is no such option",
    explanation: "Driven layers have options (`TCP!(mss=536)`), and headers have lists of options (`options=[mss(1460), nop]`). `crafty manual TCP` lists both. Write a header's option that has no name as bytes: `raw(#fd04_1234)`.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/UDP!(port=7) {
  Bytes("x")
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
