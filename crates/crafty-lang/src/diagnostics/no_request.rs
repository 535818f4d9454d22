//! `no-request`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0432",
    name: "no-request",
    severity: Severity::Error,
    title: "a request that does not say what it asks for",
    explanation: "`HTTP!` makes one request, named by `get`, `head` or `post`; `DNS!` asks for one `name`. To ask for more, open a block for each.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=80)/HTTP!(host="example.org") {
  print("${STACK[HTTP].status}")
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=80)/HTTP!(get="/", host="example.org") {
  print("${STACK[HTTP].status}")
}
"#,
};
