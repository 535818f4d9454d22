//! `other-packet`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0320",
    name: "other-packet",
    severity: Severity::Error,
    title: "a packet with other layers than the variable's",
    explanation: "The program's text must show which layers of a packet can be read, so all packets of one variable have the same layers.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  p = ICMP(type=echo_request, id=77)
  wait 1s
  p := UDP(src=40000, dst=7)
  print(p[Eth].ts)
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  p = ICMP(type=echo_request, id=77)
  wait 1s
  q = UDP(src=40000, dst=7)
  print(q[Eth].ts - p[Eth].ts)
}
"#,
};
