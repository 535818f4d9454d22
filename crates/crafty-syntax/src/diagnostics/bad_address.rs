//! `bad-address`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0111",
    name: "bad-address",
    severity: Severity::Error,
    title: "an invalid address",
    explanation: "An IPv4 address is four numbers from 0 to 255 with dots between them. An IPv6 address is written as in RFC 4291 §2.2 (with `%zone` where needed), a MAC address as six pairs of hex digits with colons. `/length` right after an IP address makes a net: at most 32 for IPv4, 128 for IPv6.",
    bad: r#"x = 10.0.0.256
print("${x}")
"#,
    fixed: r#"x = 10.0.0.255
print("${x}")
"#,
};

/// `text` has the shape of an address.
pub(crate) fn at(place: Span, text: &str) -> Occurrence {
    let report = Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{text}` is not a valid address"),
    );
    match () {
        () if text.contains('%') => report.help("write a zone after the address: `fe80::1%eth0`; a net has no zone"),
        () if text.contains('/') => report.help("the length of a net is at most 32 for IPv4, 128 for IPv6"),
        () if text.contains(':') => report.help("an IPv6 address has eight groups of hex digits, or `::` once; a MAC address has six pairs: `02:00:00:00:00:01`"),
        () => report.help("an IPv4 address has four numbers from 0 to 255"),
    }
}
