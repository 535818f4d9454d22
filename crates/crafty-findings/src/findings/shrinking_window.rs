//! Windows that are taken back.

use crate::finding::FindingSeverity;
use crate::rule::{FindingRule, counted, way};
use crafty_value::Duration;

pub static RULE: FindingRule = FindingRule {
    name: "shrinking_window",
    title: "a window taken back",
    severity: FindingSeverity::Notice,
    doc: "A receiver takes back room that it had offered, which it should not (RFC 9293 §3.8.6). Told only where the opening, and with it \
          the scale of windows, was seen.",
    observe: |packet, flow, report| {
        if packet.meaning.taken_back > 0 {
            report.measure(
                packet.index,
                way(packet, flow),
                packet.meaning.taken_back,
                Duration::ZERO,
            );
        }
    },
    tell: |case| {
        format!(
            "the window is taken back {}, by at most {}, {}",
            counted(case.count, "time"),
            counted(case.extent, "byte"),
            case.subject
        )
    },
    ..FindingRule::BLANK
};
