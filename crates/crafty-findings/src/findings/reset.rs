//! Resets, and who sent them.

use crate::finding::FindingSeverity;
use crate::flow::AnalysedFlow;
use crate::rule::{FindingRule, counted};
use crafty_wire::protocols::tcp::RST_FLAG;

pub static RULE: FindingRule = FindingRule {
    name: "reset",
    title: "a reset",
    severity: FindingSeverity::Warning,
    doc: "A connection was refused or reset. The sender is the source address of the packet; `reset_ttl` reports when another device may have sent it.",
    observe: |packet, flow, report| {
        let reset = packet.tcp.as_ref().is_some_and(|it| it.has(RST_FLAG))
            && packet.meaning.duplicate.is_none()
            && !packet.meaning.copy;
        if let Some(flow) = flow.filter(|_| reset) {
            report.add(packet.index, subject(flow, packet.side));
        }
    },
    tell: |case| format!("{} ({})", case.subject, counted(case.count, "reset")),
    ..FindingRule::BLANK
};

fn subject(flow: &AnalysedFlow, side: usize) -> String {
    let sender = flow.ends[side];
    let opening = flow.sides[flow.opener].opening.is_some();
    match (opening, flow.open) {
        (true, false) if side != flow.opener => format!("{sender} refused the connection"),
        (true, false) => format!("{sender} aborted the opening"),
        _ => format!("{sender} reset the connection"),
    }
}
