//! A time to live that changes.

use crate::finding::FindingSeverity;
use crate::rule::{FindingRule, counted, way};
use crafty_wire::protocols::tcp::RST_FLAG;

pub static RULE: FindingRule = FindingRule {
    name: "ttl_change",
    title: "a time to live that changes",
    severity: FindingSeverity::Notice,
    doc: "Packets of one sender in one flow have another time to live than those before: the route changed, paths of several lengths are \
          in use, somebody traces the route, or another speaks in the sender's name.",
    observe: |packet, flow, report| {
        let reset = packet.tcp.as_ref().is_some_and(|it| it.has(RST_FLAG));
        if packet.meaning.ttl_before.is_some() && !reset {
            report.add(packet.index, way(packet, flow));
        }
    },
    tell: |case| {
        format!(
            "the time to live changes {}, {}",
            counted(case.count, "time"),
            case.subject
        )
    },
    ..FindingRule::BLANK
};
