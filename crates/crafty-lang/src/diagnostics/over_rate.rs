//! `over-rate`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0607",
    name: "over-rate",
    severity: Severity::Error,
    title: "a loop sends faster than the budget allows",
    explanation: "Limits per second are sliding windows; a frame that comes at most 20 ms too early is held until it fits, the rest is dropped. A loop whose pace cannot fit would always lose packets.",
    bad: r#"BUDGET = { max_packets: 300, max_packets_per_secs: 50 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77] }
/IP!(dst=192.0.2.1) {
  repeat count=200 every=10ms { ICMP(type=echo_request, id=77, seq=1) }
}
"#,
    mended: r#"BUDGET = { max_packets: 300, max_packets_per_secs: 50 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77] }
/IP!(dst=192.0.2.1) {
  repeat count=200 every=20ms { ICMP(type=echo_request, id=77, seq=1) }
}
"#,
};
