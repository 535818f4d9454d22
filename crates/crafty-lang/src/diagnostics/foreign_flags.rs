//! `foreign-flags`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0318",
    name: "foreign-flags",
    severity: Severity::Error,
    title: "flags of another field",
    explanation: "Flags are a set of the named bits of one field: those of TCP are not those of IP. A flags field also takes a plain number: its raw bits.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  TCP(src=45000, flags=IP.df)
}
"#,
    mended: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  TCP(src=45000, flags=syn)
}
"#,
};
