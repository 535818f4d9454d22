//! `handler-waits`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0701",
    name: "handler-waits",
    severity: Severity::Error,
    title: "a handler waits",
    explanation: "A handler runs to its end without any program time passing, so `wait`, `expect`, `on`, `every` and driven blocks are not allowed in it. Set a variable in the handler, and wait in the main program.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  on linger=1s /IP/ICMP {
    wait 1s
  }
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  heard = false
  on linger=1s /IP/ICMP {
    heard := true
  }
  wait 1s
  print(heard)
}
"#,
};
