//! A time to live that changes.

use super::{Rule, counted, way};
use crate::Severity;
use crafty_wire::protocols::tcp::RST_FLAG;

pub static RULE: Rule = Rule {
    name: "ttl_change",
    title: "a time to live that changes",
    severity: Severity::Notice,
    doc: "Packets of one sender in one flow have another time to live than those before: the route changed, paths of several lengths are \
          in use, somebody traces the route, or another speaks in the sender's name.",
    observe: |seen, flow, report| {
        let reset = seen.tcp.as_ref().is_some_and(|it| it.has(RST_FLAG));
        if seen.trace.ttl_before.is_some() && !reset {
            report.add(seen.index, way(seen, flow));
        }
    },
    tell: |case| {
        format!(
            "the time to live changes {}, {}",
            counted(case.count, "time"),
            case.subject
        )
    },
    ..Rule::BLANK
};
