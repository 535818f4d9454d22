//! Bytes that passed elsewhere, or that the capture missed.

use crate::finding::FindingSeverity;
use crate::rule::{FindingRule, counted, way};
use crafty_value::Duration;

pub static RULE: FindingRule = FindingRule {
    name: "not_captured",
    title: "bytes that the capture lacks",
    severity: FindingSeverity::Notice,
    doc: "A receiver acknowledges bytes that did not pass here: the capture dropped packets, or they took another way. What else is said \
          of this flow may be wrong.",
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
            "{} acknowledge what was not seen here, at most {most} at once, {}",
            counted(case.count, "packet"),
            case.subject
        )
    },
    ..FindingRule::BLANK
};
