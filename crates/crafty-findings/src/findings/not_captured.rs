//! Bytes that passed elsewhere, or that the capture missed.

use crate::finding::FindingSeverity;
use crate::rule::{FindingRule, counted, way};
use crafty_value::Duration;

pub static RULE: FindingRule = FindingRule {
    name: "not_captured",
    title: "bytes missing from the capture",
    severity: FindingSeverity::Notice,
    doc: "A receiver acknowledges bytes that are not in the capture: the capture dropped packets, or they took another path. Other findings about this flow may be wrong.",
    observe: |packet, flow, report| {
        if packet.meaning.unseen > 0 {
            report.measure(
                packet.index,
                way(packet, flow),
                packet.meaning.unseen as u64,
                Duration::ZERO,
            );
        }
    },
    tell: |case| {
        let most = counted(case.extent, "byte");
        format!(
            "{} acknowledge bytes that were not captured, at most {most} at once, {}",
            counted(case.count, "packet"),
            case.subject
        )
    },
    ..FindingRule::BLANK
};
