//! A first byte that lets one wait.

use crate::finding::FindingSeverity;
use crate::rule::{FindingRule, way};
use crafty_value::Duration;

/// Waiting that a person notices.
const LONG: Duration = Duration::millis(500);

pub static RULE: FindingRule = FindingRule {
    name: "slow_answer",
    title: "a delayed first byte",
    severity: FindingSeverity::Notice,
    doc: "From the question (or, where none was asked, from the opening) to the first byte of the answer it took half a second or more \
          beyond the round trip of the opening: the time of the server, unless the first bytes were lost.",
    observe: |packet, flow, report| {
        if let Some(waited) = packet.meaning.first_byte.filter(|it| *it >= LONG) {
            report.measure(packet.index, way(packet, flow), 0, waited);
        }
    },
    tell: |case| {
        format!(
            "the first byte of the answer took {} beyond the round trip, {}",
            case.span, case.subject
        )
    },
    ..FindingRule::BLANK
};
