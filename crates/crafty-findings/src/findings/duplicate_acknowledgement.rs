//! Acknowledgements that repeat themselves.

use super::{Rule, counted, way};
use crate::Severity;
use crafty_value::Duration;

pub static RULE: Rule = Rule {
    name: "duplicate_acknowledgement",
    title: "repeated acknowledgements",
    severity: Severity::Notice,
    doc: "A receiver says again what it said (RFC 5681 §2), while bytes are on their way: something came to it out of order, or not. \
          Three in a row make a sender resend.",
    observe: |seen, flow, report| {
        if seen.trace.repeated_ack > 0 {
            report.measure(
                seen.index,
                way(seen, flow),
                seen.trace.repeated_ack,
                Duration::ZERO,
            );
        }
    },
    tell: |case| {
        format!(
            "{} repeated, at most {} in a row, {}",
            counted(case.count, "acknowledgement"),
            case.extent,
            case.subject
        )
    },
    ..Rule::BLANK
};
