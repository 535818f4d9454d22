//! `over-budget`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0606",
    name: "over-budget",
    severity: Severity::Error,
    title: "the program cannot stay within its budget",
    explanation: "Every path through the program sends more than `BUDGET` allows in total, so some packets would always be dropped. Raise the limit, or send less.",
    bad: r#"BUDGET = { max_packets: 5 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77] }
/IP!(dst=192.0.2.1) {
  repeat count=10 every=100ms { ICMP(type=echo_request, id=77, seq=1) }
}
"#,
    fixed: r#"BUDGET = { max_packets: 10 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77] }
/IP!(dst=192.0.2.1) {
  repeat count=10 every=100ms { ICMP(type=echo_request, id=77, seq=1) }
}
"#,
};
