//! A service class that changes.

use crate::finding::FindingSeverity;
use crate::rule::{FindingRule, counted, way};

pub static RULE: FindingRule = FindingRule {
    name: "dscp_change",
    title: "a changed service class (DSCP)",
    severity: FindingSeverity::Notice,
    doc: "The DSCP of a sender's packets changes within a flow: the application changed it, or a device on the path did.",
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
