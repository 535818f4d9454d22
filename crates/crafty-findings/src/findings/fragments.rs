//! Datagrams in pieces.

use crate::finding::FindingSeverity;
use crate::rule::{FindingRule, counted};

pub static RULE: FindingRule = FindingRule {
    name: "fragments",
    title: "fragments",
    severity: FindingSeverity::Notice,
    doc: "Datagrams are fragmented: if one fragment is lost, the whole datagram is lost, and many firewalls drop fragments (RFC 8900).",
    observe: |packet, _, report| {
        if let Some(network) = packet.network.as_ref().filter(|it| it.fragment.is_some()) {
            report.add(packet.index, format!("{} to {}", network.src, network.dst));
        }
    },
    tell: |case| format!("{}, {}", counted(case.count, "fragment"), case.subject),
    ..FindingRule::BLANK
};
