//! Windows that are taken back.

use super::{Rule, counted, way};
use crate::Severity;
use crafty_value::Duration;

pub static RULE: Rule = Rule {
    name: "shrinking_window",
    title: "a window taken back",
    severity: Severity::Notice,
    doc: "A receiver takes back room that it had offered, which it should not (RFC 9293 §3.8.6). Told only where the opening, and with it \
          the scale of windows, was seen.",
    observe: |seen, flow, report| {
        if seen.trace.taken_back > 0 {
            report.measure(
                seen.index,
                way(seen, flow),
                seen.trace.taken_back,
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
    ..Rule::BLANK
};
