//! `measured-try`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "W0105",
    name: "measured-try",
    severity: Severity::Warning,
    title: "a time that may be measured from the wrong try",
    explanation: "All tries of an `ask` ask the same, so a late answer to the first may arrive during the second, and its time would be measured from the second. Count the tries (`as n`), send the number, and compare it in the pattern: then each answer belongs to its try.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77] }
/IP!(dst=192.0.2.1) {
  ask tries=3 {
    p = ICMP(type=echo_request, id=77, seq=1)
  } expect timeout=1s /IP/ICMP(type == echo_reply, seq == 1) {
    print("${MATCH[Eth].ts - p[Eth].ts}")
  }
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77] }
/IP!(dst=192.0.2.1) {
  ask tries=3 as n {
    p = ICMP(type=echo_request, id=77, seq=n)
  } expect timeout=1s /IP/ICMP(type == echo_reply, seq == n) {
    print("${MATCH[Eth].ts - p[Eth].ts}")
  }
}
"#,
};
