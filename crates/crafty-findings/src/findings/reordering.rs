//! Segments that others overtook.

use crate::finding::FindingSeverity;
use crate::rule::{FindingRule, counted, way};
use crafty_value::Duration;

pub static RULE: FindingRule = FindingRule {
    name: "reordering",
    title: "segments out of order",
    severity: FindingSeverity::Notice,
    doc: "Bytes came behind later ones, and were sent before them: told by time stamps, else by the identification, else because nobody \
          mends a loss in less than a round trip. How many overtook them and for how long is as it was at this place.",
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
