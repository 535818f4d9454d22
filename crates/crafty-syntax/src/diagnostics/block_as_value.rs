//! `block-as-value`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0168",
    name: "block-as-value",
    severity: Severity::Error,
    title: "a stack with a block used as a value",
    explanation: "A stack with a block is opened and has no value. A stack without a block is sent, and its value is the sent packet. To name an open stack, write `as web` before its block.",
    bad: r#"PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], icmp: [77] }
p = /IP!(dst=192.0.2.1) {
  ICMP(type=echo_request, id=77, seq=1)
}
"#,
    fixed: r#"PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], icmp: [77] }
/IP!(dst=192.0.2.1) {
  p = ICMP(type=echo_request, id=77, seq=1)
  print("${length(p)}")
}
"#,
};

/// `text` is the stack.
pub(crate) fn at(place: Span, text: &str) -> Occurrence {
    let line = text.lines().next().unwrap_or("");
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{line}` has a block, which opens it, so it has no value"),
    )
    .help("start the statement with the stack; to name it, write `as web` before the block")
}
