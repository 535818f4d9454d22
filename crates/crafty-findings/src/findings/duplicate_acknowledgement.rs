//! Acknowledgements that repeat themselves.

use crate::finding::FindingSeverity;
use crate::rule::{FindingRule, counted, way};
use crafty_value::Duration;

pub static RULE: FindingRule = FindingRule {
    name: "duplicate_acknowledgement",
    title: "repeated acknowledgements",
    severity: FindingSeverity::Notice,
    doc: "A receiver says again what it said (RFC 5681 §2), while bytes are on their way: something came to it out of order, or not. \
          Three in a row make a sender resend.",
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
