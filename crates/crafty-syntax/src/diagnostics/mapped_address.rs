//! `mapped-address`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};
use core::net::Ipv4Addr;

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0113",
    name: "mapped-address",
    severity: Severity::Error,
    title: "an IPv4-mapped IPv6 address",
    explanation: "An IPv4-mapped address, `::ffff:a.b.c.d` (RFC 4291 §2.5.5.2), is never sent in a packet; it is how some programming interfaces represent an IPv4 address. Write the IPv4 address.",
    bad: r#"x = ::ffff:10.0.0.1
print("${x}")
"#,
    fixed: r#"x = 10.0.0.1
print("${x}")
"#,
};

/// `inner` is the IPv4 address.
pub(crate) fn at(place: Span, text: &str, inner: Ipv4Addr) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{text}` is the IPv4-mapped form of `{inner}`"),
    )
    .fix(format!("write `{inner}`"), place, inner.to_string())
}
