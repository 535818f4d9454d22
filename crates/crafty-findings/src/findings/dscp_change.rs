//! A service class that changes.

use super::{Rule, counted, way};
use crate::Severity;

pub static RULE: Rule = Rule {
    name: "dscp_change",
    title: "a service class that changes",
    severity: Severity::Notice,
    doc: "Packets of one sender in one flow have another DSCP than those before: an application changed it, or a device on the way did.",
    observe: |seen, flow, report| {
        if let (Some(before), Some(network)) = (seen.trace.dscp_before, &seen.network) {
            report.add(
                seen.index,
                format!("from {before} to {}, {}", network.dscp, way(seen, flow)),
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
    ..Rule::BLANK
};
