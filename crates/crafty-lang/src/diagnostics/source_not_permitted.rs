//! `source-not-permitted`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0514",
    name: "source-not-permitted",
    severity: Severity::Error,
    title: "a source address is missing from `PERMISSIONS`",
    explanation: "A fixed `src` may be the address of another host, so it is declared in `sources`, where a reviewer sees it. Leave `src` out to send from the address that the route gives. `sources: [host]` says that fixed sources are the host's own: then the run refuses all others. 0.0.0.0 and :: need no declaration.",
    bad: r#"BUDGET = { max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000] }
/IP!(src=198.51.100.7, dst=192.0.2.1)/UDP!(dst=7) {
  Bytes("x")
}
"#,
    fixed: r#"BUDGET = { max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1], sources: [198.51.100.7] }
PORTS = { udp: [40000] }
/IP!(src=198.51.100.7, dst=192.0.2.1)/UDP!(dst=7) {
  Bytes("x")
}
"#,
};
