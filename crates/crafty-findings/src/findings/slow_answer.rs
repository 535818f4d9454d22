//! A first byte that comes late.

use crate::finding::FindingSeverity;
use crate::rule::{FindingRule, way};
use crafty_value::Duration;

/// Waiting that a person notices.
const LONG: Duration = Duration::millis(500);

pub static RULE: FindingRule = FindingRule {
    name: "slow_answer",
    title: "a delayed first byte",
    severity: FindingSeverity::Notice,
    doc: "The first byte of the answer came half a second or more later than the round trip explains, counted from the request (or, without one, from the handshake): the server took this long, unless the first bytes were lost.",
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
