//! `worst-over-budget`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "W0501",
    name: "worst-over-budget",
    severity: Severity::Warning,
    title: "the program can exceed its budget",
    explanation: "Some path through the program sends more than `BUDGET` allows in total. The excess is dropped, counted and reported, and the exit status is 4.",
    bad: r#"BUDGET = { max_packets: 5 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77] }
/IP!(dst=192.0.2.1) {
  foreach n 1..10 {
    ICMP(type=echo_request, id=77, seq=n)
    expect timeout=1s /IP/ICMP(type == echo_reply) { stop }
  }
}
"#,
    fixed: r#"BUDGET = { max_packets: 10 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77] }
/IP!(dst=192.0.2.1) {
  foreach n 1..10 {
    ICMP(type=echo_request, id=77, seq=n)
    expect timeout=1s /IP/ICMP(type == echo_reply) { stop }
  }
}
"#,
};
