//! `no-pattern`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0173",
    name: "no-pattern",
    severity: Severity::Error,
    title: "`on` or `expect` without a pattern",
    explanation: "`on` and `expect` need a pattern for the packets that they handle: `expect timeout=1s /IP/ICMP { }`. `/*` matches every packet.",
    bad: r#"PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], icmp: [77] }
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  Bytes("x")
  expect timeout=1s { print("any") }
}
"#,
    fixed: r#"PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], icmp: [77] }
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  Bytes("x")
  expect timeout=1s /IP!/UDP!/Bytes { print("any") }
}
"#,
};

/// The `{` where a pattern was expected.
pub(crate) fn at(place: Span) -> Occurrence {
    let gap = Span {
        start: place.start,
        end: place.start,
    };
    Occurrence::new(&DIAGNOSTIC, place, "the pattern is missing")
        .suggest("add a pattern for the packets that you mean", gap, "/IP ")
        .help("a pattern is a stack with conditions: `/IP(src == target)/ICMP(type == echo_reply)`")
}
