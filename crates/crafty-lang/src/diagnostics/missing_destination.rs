//! `missing-destination`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0409",
    name: "missing-destination",
    severity: Severity::Error,
    title: "a stack without a peer",
    explanation: "`TCP!` connects to `dst`, or listens with `listen=true`. A port to send to needs an address in the `IP!` below it. `UDP!` without `dst` serves every peer that sends to it.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!() {
  Bytes("x")
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=80) {
  Bytes("x")
}
"#,
};
