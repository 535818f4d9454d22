//! Segments that others overtook.

use crate::finding::FindingSeverity;
use crate::rule::{FindingRule, counted, way};
use crafty_value::Duration;

pub static RULE: FindingRule = FindingRule {
    name: "reordering",
    title: "segments out of order",
    severity: FindingSeverity::Notice,
    doc: "Segments arrived after segments that were sent later. Recognized by time stamps, else by the identification, else because no sender can repair a loss in less than a round trip. How many overtook a segment, and by how much, is measured at the capture point.",
    observe: |packet, flow, report| {
        if let Some(late) = packet.meaning.late {
            report.measure(packet.index, way(packet, flow), late.overtaken, late.by);
        }
    },
    tell: |case| {
        let by = if case.span > Duration::ZERO {
            format!(" and {}", case.span)
        } else {
            String::new()
        };
        format!(
            "{} overtaken, by at most {}{by}, {}",
            counted(case.count, "segment"),
            counted(case.extent, "segment"),
            case.subject
        )
    },
    ..FindingRule::BLANK
};
