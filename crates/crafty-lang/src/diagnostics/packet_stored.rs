//! `packet-stored`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0315",
    name: "packet-stored",
    severity: Severity::Error,
    title: "a packet or error in an array or map",
    explanation: "Packets and errors can be kept only in variables, so that the program's text bounds how many there are. Keep the parts that you need: `p[Eth].ts`, `e.kind`.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/UDP!(dst=7) {
  p = Bytes("a")
  q = Bytes("b")
  xs = [p, q]
  print(length(xs))
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/UDP!(dst=7) {
  p = Bytes("a")
  q = Bytes("b")
  xs = [p[Eth].ts, q[Eth].ts]
  print(length(xs))
}
"#,
};
