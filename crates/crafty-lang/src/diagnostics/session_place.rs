//! `session-place`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0431",
    name: "session-place",
    severity: Severity::Error,
    title: "a layer above the transport in the wrong place",
    explanation: "`TLS!` runs on `TCP!`; `HTTP!` on `TCP!` or `TLS!`; `DNS!` on `UDP!`, `TCP!` or `TLS!`. They must be in the same stack as their transport, and the block starts when the highest layer has its answer.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/UDP!(dst=443)/TLS!(sni="example.org") {
  print("${STACK[TLS].version}")
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=443)/TLS!(sni="example.org") {
  print("${STACK[TLS].version}")
}
"#,
};
