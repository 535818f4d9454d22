//! Packets that the network doubled.

use super::{Rule, counted, way};
use crate::Severity;

pub static RULE: Rule = Rule {
    name: "duplicate_packet",
    title: "packets that came twice",
    severity: Severity::Notice,
    doc: "The same datagram (by its identification), or the same segment sooner than any sender could resend it: the network made two \
          of one, or the capture saw it twice. One that differs in its time to live passed two places and is not counted.",
    observe: |seen, flow, report| {
        if let Some(first) = seen.trace.duplicate {
            report.add(seen.index, way(seen, flow));
            report.show(first, way(seen, flow));
        }
    },
    tell: |case| {
        format!(
            "{} came twice, {}",
            counted(case.count, "packet"),
            case.subject
        )
    },
    ..Rule::BLANK
};
