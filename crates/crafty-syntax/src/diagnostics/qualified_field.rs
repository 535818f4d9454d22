//! `qualified-field`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0172",
    name: "qualified-field",
    severity: Severity::Error,
    title: "a field with its layer in a pattern",
    explanation: "In the parentheses of a layer, write its fields without the layer: `IP(src == target)`. After `where`, write a field of the matched packet: `MATCH[IP].src`.",
    bad: r#"PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], icmp: [77] }
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  Bytes("x")
  expect timeout=1s /IP/UDP(UDP.src == 7) { print("yes") }
}
"#,
    fixed: r#"PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], icmp: [77] }
/IP!(dst=192.0.2.1)/UDP!(src=40000, dst=7) {
  Bytes("x")
  expect timeout=1s /IP/UDP(src == 7) { print("yes") }
}
"#,
};

/// `layer.` before a field.
pub(crate) fn at(place: Span, layer: &str) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("in the parentheses of a layer, write its fields without `{layer}.`"),
    )
    .fix("remove it", place, "")
}
