//! Windows that close.

use super::{Rule, counted, way};
use crate::Severity;

pub static RULE: Rule = Rule {
    name: "zero_window",
    title: "a window of zero",
    severity: Severity::Warning,
    doc: "A receiver has no room left: its application does not read as fast as the bytes come. Counted each time the window closes.",
    observe: |seen, flow, report| {
        if seen.trace.zero_window {
            report.add(seen.index, way(seen, flow));
        }
    },
    tell: |case| {
        format!(
            "the window closes {}, {}",
            counted(case.count, "time"),
            case.subject
        )
    },
    ..Rule::BLANK
};
