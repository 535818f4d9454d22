//! `tainted-auto`

use crate::diagnostic::{Diagnostic, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0605",
    name: "tainted-auto",
    severity: Severity::Error,
    title: "an offset of auto depends on what was received",
    explanation: "`auto` is filled by the stack and never shown to the program; an offset that depends on the network would make it a channel. Use a constant: `seq=auto - 1`.",
    bad: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.80] }
PORTS = { tcp: [45000] }
/IP!(dst=192.0.2.80)/TCP!(src=45000, dst=80) {
  TCP(seq=auto - STACK[TCP].retransmits)/Bytes(#00)
}
"#,
    mended: r#"BUDGET = { max_duration: 10s, max_packets: 20 }
PERMISSIONS = { destinations: [192.0.2.80] }
PORTS = { tcp: [45000] }
/IP!(dst=192.0.2.80)/TCP!(src=45000, dst=80) {
  TCP(seq=auto - 1)/Bytes(#00)
}
"#,
};
