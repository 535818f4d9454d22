//! A time to live that changes.

use crate::finding::FindingSeverity;
use crate::rule::{FindingRule, counted, way};
use crafty_wire::protocols::tcp::RST_FLAG;

pub static RULE: FindingRule = FindingRule {
    name: "ttl_change",
    title: "a changed TTL",
    severity: FindingSeverity::Notice,
    doc: "The TTL of a sender's packets changes within a flow: the route changed, packets take paths of different lengths, somebody traces the route, or another host uses the sender's address.",
    observe: |packet, flow, report| {
        let reset = packet.tcp.as_ref().is_some_and(|it| it.has(RST_FLAG));
        if packet.meaning.ttl_before.is_some() && !reset {
            report.add(packet.index, way(packet, flow));
        }
    },
    tell: |case| {
        format!(
            "the TTL changes {}, {}",
            counted(case.count, "time"),
            case.subject
        )
    },
    ..FindingRule::BLANK
};
