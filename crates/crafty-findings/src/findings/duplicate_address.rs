//! An address that two stations claim.

use super::{Rule, counted};
use crate::Severity;

pub static RULE: Rule = Rule {
    name: "duplicate_address",
    title: "an address of two stations",
    severity: Severity::Error,
    doc: "ARP or neighbour advertisements give one address with two link addresses: two hosts have it (RFC 5227), one took it over \
          from the other, or somebody poses as its owner. The capture alone does not tell which.",
    observe: |seen, _, report| {
        if let Some(rival) = seen.rival {
            let mut macs = rival.macs;
            macs.sort();
            let subject = format!(
                "{} is claimed by {} and by {}",
                rival.address, macs[0], macs[1]
            );
            report.show(rival.before, subject.clone());
            report.add(seen.index, subject);
        }
    },
    tell: |case| format!("{} ({})", case.subject, counted(case.count, "change")),
    ..Rule::BLANK
};
