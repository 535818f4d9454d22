//! `foreign-flags`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0318",
    name: "foreign-flags",
    severity: Severity::Error,
    title: "flags of another field",
    explanation: "Flags are a set of named bits of one field: flags of TCP are not flags of IP. A flags field can also be set to a plain number, its raw bits.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  TCP(src=45000, flags=IP.df)
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  TCP(src=45000, flags=syn)
}
"#,
};
