//! Packets that the network duplicated.

use crate::finding::FindingSeverity;
use crate::rule::{FindingRule, counted, way};

pub static RULE: FindingRule = FindingRule {
    name: "duplicate_packet",
    title: "duplicate packets",
    severity: FindingSeverity::Notice,
    doc: "The same datagram (by its identification), or the same segment again sooner than a sender could retransmit it: the network duplicated it, or it was captured twice. Two copies with different TTLs were captured at two points of the path and are not counted.",
    observe: |packet, flow, report| {
        if let Some(first) = packet.meaning.duplicate {
            report.add(packet.index, way(packet, flow));
            report.show(first, way(packet, flow));
        }
    },
    tell: |case| {
        format!(
            "{} seen twice, {}",
            counted(case.count, "packet"),
            case.subject
        )
    },
    ..FindingRule::BLANK
};
