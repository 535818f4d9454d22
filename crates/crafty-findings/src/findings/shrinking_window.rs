//! Windows that shrink.

use crate::finding::FindingSeverity;
use crate::rule::{FindingRule, counted, way};
use crafty_value::Duration;

pub static RULE: FindingRule = FindingRule {
    name: "shrinking_window",
    title: "a shrinking window",
    severity: FindingSeverity::Notice,
    doc: "A receiver shrinks a window that it had offered, which it should not do (RFC 9293 §3.8.6). Reported only if the handshake was captured, because the window scale is in it.",
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
            "the window shrank {}, by at most {}, {}",
            counted(case.count, "time"),
            counted(case.extent, "byte"),
            case.subject
        )
    },
    ..FindingRule::BLANK
};
