//! Packets that the network doubled.

use crate::finding::FindingSeverity;
use crate::rule::{FindingRule, counted, way};

pub static RULE: FindingRule = FindingRule {
    name: "duplicate_packet",
    title: "packets that came twice",
    severity: FindingSeverity::Notice,
    doc: "The same datagram (by its identification), or the same segment sooner than any sender could resend it: the network made two \
          of one, or the capture saw it twice. One that differs in its time to live passed two places and is not counted.",
    observe: |packet, flow, report| {
        if let Some(first) = packet.meaning.duplicate {
            report.add(packet.index, way(packet, flow));
            report.show(first, way(packet, flow));
        }
    },
    tell: |case| {
        format!(
            "{} came twice, {}",
            counted(case.count, "packet"),
            case.subject
        )
    },
    ..FindingRule::BLANK
};
