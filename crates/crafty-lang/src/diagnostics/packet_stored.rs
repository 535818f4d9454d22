//! `packet-stored`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0315",
    name: "packet-stored",
    severity: Severity::Error,
    title: "a packet or error in a container",
    explanation: "Packets and errors are held in variables only, so that nobody keeps more of them than the program shows. Keep what is needed: `p[Eth].ts`, `e.kind`.",
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
    mended: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
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
