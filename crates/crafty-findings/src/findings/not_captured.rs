//! Bytes that passed elsewhere, or that the capture missed.

use super::{Rule, counted, way};
use crate::Severity;
use crafty_value::Duration;

pub static RULE: Rule = Rule {
    name: "not_captured",
    title: "bytes that the capture lacks",
    severity: Severity::Notice,
    doc: "A receiver acknowledges bytes that did not pass here: the capture dropped packets, or they took another way. What else is said \
          of this flow may be wrong.",
    observe: |seen, flow, report| {
        if seen.trace.unseen > 0 {
            report.measure(
                seen.index,
                way(seen, flow),
                seen.trace.unseen as u64,
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
    ..Rule::BLANK
};
