//! `destination-not-permitted`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0508",
    name: "destination-not-permitted",
    severity: Severity::Error,
    title: "a destination is missing from `PERMISSIONS`",
    explanation: "What is not granted is denied: every address that the program sends to lies in `destinations`, and not in one of its exclusions (`!`), which win in any order.",
    bad: r#"BUDGET = { max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000] }
/IP!(dst=192.0.2.9)/UDP!(dst=7) {
  Bytes("x")
}
"#,
    mended: r#"BUDGET = { max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1, 192.0.2.9] }
PORTS = { udp: [40000] }
/IP!(dst=192.0.2.9)/UDP!(dst=7) {
  Bytes("x")
}
"#,
};
