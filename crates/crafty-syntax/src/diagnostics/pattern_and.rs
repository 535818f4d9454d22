//! `pattern-and`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0171",
    name: "pattern-and",
    severity: Severity::Error,
    title: "`and` between the conditions of a layer",
    explanation: "Put commas between the conditions in the parentheses of a pattern; all of them must be true. `or` joins alternatives of one condition.",
    bad: r#"PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], icmp: [77] }
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  Bytes("x")
  expect timeout=1s /IP/UDP(src == 7 and dst == 40000) { print("yes") }
}
"#,
    fixed: r#"PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], icmp: [77] }
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  Bytes("x")
  expect timeout=1s /IP/UDP(src == 7, dst == 40000) { print("yes") }
}
"#,
};

/// The word with the blanks before it.
pub(crate) fn at(place: Span) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        "join the conditions of a pattern with commas",
    )
    .fix("write `,`", place, ",")
}
