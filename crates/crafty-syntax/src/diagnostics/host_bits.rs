//! `host-bits`

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Occurrence, Severity};
use core::net::IpAddr;
use crafty_value::Net;

/// The row.
pub static DIAGNOSTIC: Diagnostic = Diagnostic {
    code: "E0114",
    name: "host-bits",
    severity: Severity::Error,
    title: "a net with host bits set",
    explanation: "The bits of a net after its length must be zero. `10.1.2.3/8` may mean the net `10.0.0.0/8` or the host `10.1.2.3`, and only you know which.",
    bad: r#"x = 10.1.2.3/8
print("${10.9.9.9 in x}")
"#,
    fixed: r#"x = 10.0.0.0/8
print("${10.9.9.9 in x}")
"#,
};

/// `net` holds `address`.
pub(crate) fn at(place: Span, text: &str, net: Net, address: IpAddr) -> Occurrence {
    Occurrence::new(
        &DIAGNOSTIC,
        place,
        format!("`{text}` has bits set after its length"),
    )
    .suggest(
        format!("for the net, write `{net}`"),
        place,
        net.to_string(),
    )
    .suggest(
        format!("for the host, write `{address}`"),
        place,
        address.to_string(),
    )
}
