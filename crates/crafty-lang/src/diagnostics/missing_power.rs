//! `missing-power`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0512",
    name: "missing-power",
    severity: Severity::Error,
    title: "something needs a power that is not granted",
    explanation: "Powers go beyond ordinary probing: link addresses, infrastructure protocols, tunnels, ICMP errors, hand-made fragments. Each must be declared in `PERMISSIONS`, where a reviewer sees it.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/ARP(op=request, tpa=192.0.2.1)
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1], powers: [infrastructure] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/ARP(op=request, tpa=192.0.2.1)
"#,
};
