//! Resets with an odd time to live.

use crate::finding::FindingSeverity;
use crate::rule::{FindingRule, way};
use crafty_wire::protocols::tcp::RST_FLAG;

pub static RULE: FindingRule = FindingRule {
    name: "reset_ttl",
    title: "a reset with an odd time to live",
    severity: FindingSeverity::Warning,
    doc: "A reset has another time to live than the packets of the same sender before: a device on the way may have written it, or the \
          sender's system starts resets with another value.",
    observe: |packet, flow, report| {
        let reset = packet.tcp.as_ref().is_some_and(|it| it.has(RST_FLAG));
        if let (Some(before), Some(network), true) =
            (packet.meaning.ttl_before, &packet.network, reset)
        {
            report.add(
                packet.index,
                format!(
                    "{}, where the sender's others had {before}, {}",
                    network.ttl,
                    way(packet, flow)
                ),
            );
        }
    },
    tell: |case| format!("a reset has a time to live of {}", case.subject),
    ..FindingRule::BLANK
};
