//! A service class that changes.

use crate::finding::FindingSeverity;
use crate::rule::{FindingRule, counted, way};

pub static RULE: FindingRule = FindingRule {
    name: "dscp_change",
    title: "a service class that changes",
    severity: FindingSeverity::Notice,
    doc: "Packets of one sender in one flow have another DSCP than those before: an application changed it, or a device on the way did.",
    observe: |packet, flow, report| {
        if let (Some(before), Some(network)) = (packet.meaning.dscp_before, &packet.network) {
            report.add(
                packet.index,
                format!("from {before} to {}, {}", network.dscp, way(packet, flow)),
            );
        }
    },
    tell: |case| {
        format!(
            "the DSCP changes {} {}",
            counted(case.count, "time"),
            case.subject
        )
    },
    ..FindingRule::BLANK
};
