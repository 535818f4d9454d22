//! `no-member`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0213",
    name: "no-member",
    severity: Severity::Error,
    title: "there is no such part",
    explanation: "A dot is followed by a field of a packet's layer (`p[IP].ttl`), a counter (`STACK[TCP].srtt`) or a part of an error (`e.kind`, `e.message`). Nothing else has parts.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  on linger=1s /IP/ICMP as m {
    print(m.ttl)
  }
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  on linger=1s /IP/ICMP as m {
    print(m[IP].ttl)
  }
}
"#,
};
