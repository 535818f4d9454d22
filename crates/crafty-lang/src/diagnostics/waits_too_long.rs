//! `waits-too-long`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "W0502",
    name: "waits-too-long",
    severity: Severity::Warning,
    title: "the waits add up to more than `max_duration`",
    explanation: "After `max_duration` the waiting statement raises `deadline`; without a `try` the program ends with status 6.",
    bad: r#"BUDGET = { max_duration: 5s }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77] }
/IP!(dst=192.0.2.1) {
  repeat count=10 every=1s { ICMP(type=echo_request, id=77, seq=1) }
}
"#,
    fixed: r#"BUDGET = { max_duration: 20s }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77] }
/IP!(dst=192.0.2.1) {
  repeat count=10 every=1s { ICMP(type=echo_request, id=77, seq=1) }
}
"#,
};
