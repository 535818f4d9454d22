//! Resets with an unexpected TTL.

use crate::finding::FindingSeverity;
use crate::rule::{FindingRule, way};
use crafty_wire::protocols::tcp::RST_FLAG;

pub static RULE: FindingRule = FindingRule {
    name: "reset_ttl",
    title: "a reset with an unexpected TTL",
    severity: FindingSeverity::Warning,
    doc: "A reset has another TTL than the sender's earlier packets: a device on the path may have injected it, or the sender's system uses another initial TTL for resets.",
    observe: |packet, flow, report| {
        let reset = packet.tcp.as_ref().is_some_and(|it| it.has(RST_FLAG));
        if let (Some(before), Some(network), true) =
            (packet.meaning.ttl_before, &packet.network, reset)
        {
            report.add(
                packet.index,
                format!(
                    "{}, but the sender's other packets had {before}, {}",
                    network.ttl,
                    way(packet, flow)
                ),
            );
        }
    },
    tell: |case| format!("a reset has a TTL of {}", case.subject),
    ..FindingRule::BLANK
};
