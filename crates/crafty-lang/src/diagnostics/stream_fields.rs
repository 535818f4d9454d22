//! `stream-fields`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0416",
    name: "stream-fields",
    severity: Severity::Error,
    title: "a field of single segments in a pattern for stream data",
    explanation: "Stream data is what arrived in order, no matter how it was divided into segments. It has addresses, ports, `state` and `data`. Flags, sequence numbers and TTL belong to frames: match `/IP/TCP`.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=80) {
  on linger=1s /IP!/TCP!(flags has fin)/Bytes {
    print("end")
  }
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1)/TCP!(dst=80) {
  on linger=1s /IP/TCP(flags has fin) {
    print("end")
  }
}
"#,
};
