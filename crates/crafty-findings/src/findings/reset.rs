//! Resets, and who sent them.

use super::{Rule, counted};
use crate::{Flow, Severity};
use crafty_wire::protocols::tcp::RST_FLAG;

pub static RULE: Rule = Rule {
    name: "reset",
    title: "a reset",
    severity: Severity::Warning,
    doc: "A connection was refused or cut off. The sender is the one that the packet names; `reset_ttl` tells when another may have \
          written it.",
    observe: |seen, flow, report| {
        let reset = seen.tcp.as_ref().is_some_and(|it| it.has(RST_FLAG))
            && seen.trace.duplicate.is_none()
            && !seen.trace.copy;
        if let Some(flow) = flow.filter(|_| reset) {
            report.add(seen.index, subject(flow, seen.side));
        }
    },
    tell: |case| format!("{} ({})", case.subject, counted(case.count, "reset")),
    ..Rule::BLANK
};

fn subject(flow: &Flow, side: usize) -> String {
    let sender = flow.ends[side];
    let opening = flow.sides[flow.opener].opening.is_some();
    match (opening, flow.open) {
        (true, false) if side != flow.opener => format!("{sender} refused the connection"),
        (true, false) => format!("{sender} gave the opening up"),
        _ => format!("{sender} reset the connection"),
    }
}
