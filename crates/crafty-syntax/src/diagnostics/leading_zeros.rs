//! `leading-zeros`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};
use core::net::Ipv4Addr;

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0112",
    name: "leading-zeros",
    severity: Severity::Error,
    title: "an IPv4 address with leading zeros",
    explanation: "Some tools read `010` as ten, others as eight. So the numbers of an IPv4 address cannot have leading zeros.",
    bad: r#"x = 10.0.0.010
print("${x}")
"#,
    fixed: r#"x = 10.0.0.10
print("${x}")
"#,
};

/// `address` is what the numbers are in decimal.
pub(crate) fn at(place: Span, text: &str, address: Ipv4Addr) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{text}` has leading zeros, which some tools read as octal"),
    )
    .suggest(format!("write `{address}`"), place, address.to_string())
}
