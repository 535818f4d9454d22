//! Duplicate acknowledgements.

use crate::finding::FindingSeverity;
use crate::rule::{FindingRule, counted, way};
use crafty_value::Duration;

pub static RULE: FindingRule = FindingRule {
    name: "duplicate_acknowledgement",
    title: "repeated acknowledgements",
    severity: FindingSeverity::Notice,
    doc: "A receiver repeats an acknowledgement (RFC 5681 §2) while data is in flight: segments reached it out of order, or one was lost. Three in a row make the sender retransmit.",
    observe: |packet, flow, report| {
        if packet.meaning.repeated_ack > 0 {
            report.measure(
                packet.index,
                way(packet, flow),
                packet.meaning.repeated_ack,
                Duration::ZERO,
            );
        }
    },
    tell: |case| {
        format!(
            "{} repeated, at most {} in a row, {}",
            counted(case.count, "acknowledgement"),
            case.extent,
            case.subject
        )
    },
    ..FindingRule::BLANK
};
