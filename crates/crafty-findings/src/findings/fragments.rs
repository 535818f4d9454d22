//! Datagrams in pieces.

use super::{Rule, counted};
use crate::Severity;

pub static RULE: Rule = Rule {
    name: "fragments",
    title: "fragments",
    severity: Severity::Notice,
    doc: "Datagrams pass in fragments: one lost piece loses the whole, and many firewalls drop them (RFC 8900).",
    observe: |seen, _, report| {
        if let Some(network) = seen.network.as_ref().filter(|it| it.fragment.is_some()) {
            report.add(seen.index, format!("{} to {}", network.src, network.dst));
        }
    },
    tell: |case| format!("{}, {}", counted(case.count, "fragment"), case.subject),
    ..Rule::BLANK
};
