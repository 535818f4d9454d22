//! `wrong-family`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0423",
    name: "wrong-family",
    severity: Severity::Error,
    title: "an address or layer of the other family",
    explanation: "`IP` is IPv4 and `IP6` is IPv6; `IP!` takes the family of its addresses. An IPv4 address is never equal to an IPv6 address.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  on linger=1s /IP(src == 2001:db8::1)/ICMP {
    print("heard")
  }
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  on linger=1s /IP(src == 192.0.2.1)/ICMP {
    print("heard")
  }
}
"#,
};
