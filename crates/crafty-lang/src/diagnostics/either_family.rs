//! `either-family`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0422",
    name: "either-family",
    severity: Severity::Error,
    title: "a field of one address family where both are possible",
    explanation: "Under `IP!` a packet may be IPv4 or IPv6, and `[IP]` reads the fields that both have: `src dst ttl dscp ecn proto len`. A layer without `!` belongs to one family.",
    bad: r#"param target = 192.0.2.1
BUDGET = { max_packets: 20 }
PERMISSIONS = { destinations: [target] }
PORTS = { udp: [40000] }
/IP!(dst=target)/UDP!(dst=7) {
  on linger=1s /IP!(flags has df)/UDP! {
    print("whole")
  }
}
"#,
    fixed: r#"param target = 192.0.2.1
BUDGET = { max_packets: 20 }
PERMISSIONS = { destinations: [target] }
PORTS = { udp: [40000] }
/IP!(dst=target)/UDP!(dst=7) {
  on linger=1s /IP(flags has df)/UDP {
    print("whole")
  }
}
"#,
};
