//! `too-wide`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0401",
    name: "too-wide",
    severity: Severity::Error,
    title: "a value does not fit its field",
    explanation: "A value must fit the width of its field; sequence numbers, identifications and TCP time stamps wrap around. A value that is known only at run time raises the error `range`.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  IP(ttl=300)/ICMP(type=echo_request, id=77)
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  IP(ttl=30)/ICMP(type=echo_request, id=77)
}
"#,
};
