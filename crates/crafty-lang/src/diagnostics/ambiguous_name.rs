//! `ambiguous-name`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0208",
    name: "ambiguous-name",
    severity: Severity::Error,
    title: "a word is both a value of the field and a variable",
    explanation: "Where a field is set or compared, a bare word is first looked up among the field's named values. If a variable of the same name holds a value of the same type, a reader cannot tell which is meant: give the variable another name. A variable of another type, such as an address called `server` beside a mode of NTP, cannot be meant there.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  echo_request = 8
  ICMP(type=echo_request, id=77)
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  kind = 8
  ICMP(type=kind, id=77)
}
"#,
};
