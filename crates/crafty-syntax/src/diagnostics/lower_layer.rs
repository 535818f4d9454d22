//! `lower-layer`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0167",
    name: "lower-layer",
    severity: Severity::Error,
    title: "a layer in lower case",
    explanation: "Layers start with a capital: `IP`, `UDP`, `Bytes`. Before a layer, `/` joins a stack; anywhere else it divides.",
    bad: r#"PERMISSIONS = { destinations: [192.0.2.1] }
PORTS = { udp: [40000], icmp: [77] }
/ip!(dst=192.0.2.1) {
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

/// `word` is where a layer was expected.
pub(crate) fn at(place: Span, word: &str) -> Occurrence {
    let mut meant = word.to_string();
    match word.len() {
        ..=4 => meant.make_ascii_uppercase(),
        _ => meant[..1].make_ascii_uppercase(),
    }
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{word}` is not a layer: layers start with a capital"),
    )
    .suggest(format!("write `{meant}`"), place, meant)
}
