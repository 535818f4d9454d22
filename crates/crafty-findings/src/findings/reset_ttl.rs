//! Resets with an odd time to live.

use super::{Rule, way};
use crate::Severity;
use crafty_wire::protocols::tcp::RST_FLAG;

pub static RULE: Rule = Rule {
    name: "reset_ttl",
    title: "a reset with an odd time to live",
    severity: Severity::Warning,
    doc: "A reset has another time to live than the packets of the same sender before: a device on the way may have written it, or the \
          sender's system starts resets with another value.",
    observe: |seen, flow, report| {
        let reset = seen.tcp.as_ref().is_some_and(|it| it.has(RST_FLAG));
        if let (Some(before), Some(network), true) = (seen.trace.ttl_before, &seen.network, reset) {
            report.add(
                seen.index,
                format!(
                    "{}, where the sender's others had {before}, {}",
                    network.ttl,
                    way(seen, flow)
                ),
            );
        }
    },
    tell: |case| format!("a reset has a time to live of {}", case.subject),
    ..Rule::BLANK
};
