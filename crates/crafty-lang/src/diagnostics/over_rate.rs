//! `over-rate`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0607",
    name: "over-rate",
    severity: Severity::Error,
    title: "a loop sends faster than the budget allows",
    explanation: "Limits per second apply to a sliding window. A frame that is at most 20 ms too early is delayed until it fits; others are dropped. A loop that is too fast would always lose packets.",
    bad: r#"BUDGET = { max_packets: 300, max_packets_per_secs: 50 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77] }
/IP!(dst=192.0.2.1) {
  repeat count=200 every=10ms { ICMP(type=echo_request, id=77, seq=1) }
}
"#,
    fixed: r#"BUDGET = { max_packets: 300, max_packets_per_secs: 50 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77] }
/IP!(dst=192.0.2.1) {
  repeat count=200 every=20ms { ICMP(type=echo_request, id=77, seq=1) }
}
"#,
};
