//! `no-pattern`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Report, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0173",
    name: "no-pattern",
    severity: Severity::Error,
    title: "`on` or `expect` without a pattern",
    explanation: "`on` and `expect` say which packets they are for: `expect timeout=1s /IP/ICMP { }`. `/*` is for any.",
    bad: r#"PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], icmp: [77] }
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  Bytes("x")
  expect timeout=1s { print("any") }
}
"#,
    mended: r#"PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], icmp: [77] }
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  Bytes("x")
  expect timeout=1s /IP!/UDP!/Bytes { print("any") }
}
"#,
};

/// The `{` where a pattern was expected.
pub(crate) fn at(place: Span) -> Report {
    let gap = Span {
        start: place.start,
        end: place.start,
    };
    Report::new(&DIAGNOSTIC, place, "the pattern is missing")
        .suggest("say which packets are meant", gap, "/IP ")
        .help("a pattern is a stack of conditions: `/IP(src == target)/ICMP(type == echo_reply)`")
}
