//! Congestion marks.

use crate::finding::FindingSeverity;
use crate::rule::{FindingRule, counted, way};
use crafty_wire::protocols::tcp::{ECE_FLAG, SYN_FLAG};

/// Congestion experienced (RFC 3168 §5).
const CE: u8 = 3;

pub static RULE: FindingRule = FindingRule {
    name: "congestion_mark",
    title: "a congestion mark (ECN)",
    severity: FindingSeverity::Notice,
    doc: "A router marked packets instead of dropping them, or a receiver reported such marks to its peer (RFC 3168).",
    observe: |packet, flow, report| {
        if packet.network.as_ref().is_some_and(|it| it.ecn == CE) {
            report.add(
                packet.index,
                format!("marked as congested (CE), {}", way(packet, flow)),
            );
        }
        if packet
            .tcp
            .as_ref()
            .is_some_and(|it| it.has(ECE_FLAG) && !it.has(SYN_FLAG))
        {
            report.add(
                packet.index,
                format!(
                    "reporting congestion marks to the peer (ECE), {}",
                    way(packet, flow)
                ),
            );
        }
    },
    tell: |case| format!("{} {}", counted(case.count, "packet"), case.subject),
    ..FindingRule::BLANK
};
