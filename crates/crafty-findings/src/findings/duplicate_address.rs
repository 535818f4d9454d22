//! An address that two hosts claim.

use crate::finding::FindingSeverity;
use crate::rule::{FindingRule, counted};

pub static RULE: FindingRule = FindingRule {
    name: "duplicate_address",
    title: "an address with two owners",
    severity: FindingSeverity::Error,
    doc: "ARP or neighbour advertisements announce two link addresses for one IP address: two hosts use it (RFC 5227), one took it over from the other, or somebody impersonates its owner. The capture alone cannot show which.",
    observe: |packet, _, report| {
        if let Some(conflict) = packet.conflict {
            let mut macs = conflict.macs;
            macs.sort();
            let subject = format!(
                "{} is claimed by {} and by {}",
                conflict.address, macs[0], macs[1]
            );
            report.show(conflict.before, subject.clone());
            report.add(packet.index, subject);
        }
    },
    tell: |case| format!("{} ({})", case.subject, counted(case.count, "change")),
    ..FindingRule::BLANK
};
