//! `missing-destination`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0409",
    name: "missing-destination",
    severity: Severity::Error,
    title: "a stack with nobody to talk to",
    explanation: "`TCP!` connects to `dst`, or listens with `listen=true`; a port to send to needs an address in the `IP!` below. `UDP!` without `dst` serves whoever asks.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!() {
  Bytes("x")
}
"#,
    mended: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=80) {
  Bytes("x")
}
"#,
};
