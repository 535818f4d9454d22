//! `request-path`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0433",
    name: "request-path",
    severity: Severity::Error,
    title: "a path without its leading `/`",
    explanation: "`get`, `head` and `post` take a path on the server, which starts with `/`. The address goes into `IP!(dst=…)`, the name of the server into `host=`.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=80)/HTTP!(get="index.html") {
  print("${STACK[HTTP].status}")
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=80)/HTTP!(get="/index.html") {
  print("${STACK[HTTP].status}")
}
"#,
};
