//! `request-path`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0433",
    name: "request-path",
    severity: Severity::Error,
    title: "a path without its slash",
    explanation: "What `get`, `head` and `post` name is a path of the server: it begins with `/`. The address stands in `IP!(dst=…)`, the name of the server in `host=`.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=80)/HTTP!(get="index.html") {
  print("${STACK[HTTP].status}")
}
"#,
    mended: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=80)/HTTP!(get="/index.html") {
  print("${STACK[HTTP].status}")
}
"#,
};
