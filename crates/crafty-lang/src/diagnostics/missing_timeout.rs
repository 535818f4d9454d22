//! `missing-timeout`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0702",
    name: "missing-timeout",
    severity: Severity::Error,
    title: "an `expect` without `timeout=`",
    explanation: "An `expect` needs a limit for its wait. If nothing has matched by then, its `else` runs, or the program goes on if there is none.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/UDP!(dst=7) {
  expect /IP!/UDP!/Bytes {
    print("answer")
  }
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/UDP!(dst=7) {
  expect timeout=1s /IP!/UDP!/Bytes {
    print("answer")
  }
}
"#,
};
