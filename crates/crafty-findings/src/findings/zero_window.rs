//! Windows that close.

use crate::finding::FindingSeverity;
use crate::rule::{FindingRule, counted, way};

pub static RULE: FindingRule = FindingRule {
    name: "zero_window",
    title: "a zero window",
    severity: FindingSeverity::Warning,
    doc: "A receiver's buffer is full: its application reads more slowly than data arrives. Counted each time the window closes.",
    observe: |packet, flow, report| {
        if packet.meaning.zero_window {
            report.add(packet.index, way(packet, flow));
        }
    },
    tell: |case| {
        format!(
            "the window closes {}, {}",
            counted(case.count, "time"),
            case.subject
        )
    },
    ..FindingRule::BLANK
};
