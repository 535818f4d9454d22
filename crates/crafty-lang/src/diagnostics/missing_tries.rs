//! `missing-tries`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0709",
    name: "missing-tries",
    severity: Severity::Error,
    title: "an `ask` without `tries=`",
    explanation: "An `ask` runs its block, waits for an answer, and runs the block again while none comes. `tries=` says how often it asks at most; `as n` counts the tries from 1.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000] }
/IP!(dst=192.0.2.1)/UDP!(dst=7) {
  ask { Bytes("hello") } expect timeout=1s /IP!/UDP!/Bytes {
    print("answer")
  }
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000] }
/IP!(dst=192.0.2.1)/UDP!(dst=7) {
  ask tries=3 { Bytes("hello") } expect timeout=1s /IP!/UDP!/Bytes {
    print("answer")
  }
}
"#,
};
