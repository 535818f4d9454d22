//! `packet-read`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0319",
    name: "packet-read",
    severity: Severity::Error,
    title: "a packet is read without naming a field",
    explanation: "Only fields of a packet's layers can be read: `p[IP].ttl`, `p[Eth].ts`; `p[IP, 1]` is the second IP layer. `STACK` is read in the same way.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  on linger=1s /IP/ICMP {
    print(MATCH[IP])
    print(MATCH.IP.src)
  }
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  on linger=1s /IP/ICMP {
    print(MATCH[IP].ttl)
    print(MATCH[IP].src)
  }
}
"#,
};

/// `MATCH.TCP`: `place` is the dot and the layer.
pub(crate) fn dotted(place: Span, of: &str, layer: &str) -> Occurrence {
    let message = format!("the layer of a packet goes in brackets: `{of}[{layer}]`");
    Occurrence::new(&DIAGNOSTIC, place, message).fix(
        format!("write `[{layer}]`"),
        place,
        format!("[{layer}]"),
    )
}
