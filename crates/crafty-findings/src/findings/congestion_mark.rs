//! Congestion marks.

use super::{Rule, counted, way};
use crate::Severity;
use crafty_wire::protocols::tcp::{ECE_FLAG, SYN_FLAG};

/// Congestion experienced (RFC 3168 §5).
const CE: u8 = 3;

pub static RULE: Rule = Rule {
    name: "congestion_mark",
    title: "a congestion mark (ECN)",
    severity: Severity::Notice,
    doc: "A router marked packets instead of dropping them, or a receiver says that it saw such marks (RFC 3168).",
    observe: |seen, flow, report| {
        if seen.network.as_ref().is_some_and(|it| it.ecn == CE) {
            report.add(
                seen.index,
                format!("marked by congestion on the way, {}", way(seen, flow)),
            );
        }
        if seen
            .tcp
            .as_ref()
            .is_some_and(|it| it.has(ECE_FLAG) && !it.has(SYN_FLAG))
        {
            report.add(
                seen.index,
                format!(
                    "telling the peer that marks were seen (ECE), {}",
                    way(seen, flow)
                ),
            );
        }
    },
    tell: |case| format!("{} {}", counted(case.count, "packet"), case.subject),
    ..Rule::BLANK
};
