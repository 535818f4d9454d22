//! `option-values`

use crafty_syntax::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0414",
    name: "option-values",
    severity: Severity::Error,
    title: "an option with the wrong values",
    explanation: "Write an option of a header with its values, in the order of the manual: `mss(1460)`, `ts(1, 0)`. Write an option without values by its name alone: `nop`.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  TCP(src=45000, flags=syn, options=[mss])
}
"#,
    fixed: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { icmp: [77], udp: [40000], tcp: [[45000, 45100]] }
/IP!(dst=192.0.2.1) {
  TCP(src=45000, flags=syn, options=[mss(1460)])
}
"#,
};
