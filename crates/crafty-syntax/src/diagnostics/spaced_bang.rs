//! `spaced-bang`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0164",
    name: "spaced-bang",
    severity: Severity::Error,
    title: "a space before the `!` of a driven layer",
    explanation: "Write the `!` of a driven layer right after the layer's name: `IP!(dst=x)`.",
    bad: r#"PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], icmp: [77] }
/IP !(dst=192.0.2.1) {
  ICMP(type=echo_request, id=77, seq=1)
}
"#,
    fixed: r#"PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], icmp: [77] }
/IP!(dst=192.0.2.1) {
  ICMP(type=echo_request, id=77, seq=1)
}
"#,
};

/// `place` reaches from the end of `name` to that of the `!`.
pub(crate) fn at(place: Span, name: &str) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("write the `!` right after the layer: `{name}!`"),
    )
    .fix("remove the space", place, "!")
}
