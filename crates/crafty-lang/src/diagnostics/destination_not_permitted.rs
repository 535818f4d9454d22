//! `destination-not-permitted`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0508",
    name: "destination-not-permitted",
    severity: Severity::Error,
    title: "a destination is missing from `PERMISSIONS`",
    explanation: "What is not permitted is denied. Every address that the program sends to must be in `destinations` and not in one of its exclusions (`!`), which win wherever they are in the list.",
    bad: r#"BUDGET = { max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000] }
/IP!(dst=192.0.2.9)/UDP!(dst=7) {
  Bytes("x")
}
"#,
    fixed: r#"BUDGET = { max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1, 192.0.2.9] }
PORTS = { udp: [40000] }
/IP!(dst=192.0.2.9)/UDP!(dst=7) {
  Bytes("x")
}
"#,
};
