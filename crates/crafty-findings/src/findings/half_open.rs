//! Openings that were answered and not finished.

use crate::finding::FindingSeverity;
use crate::flow::AnalysedFlow;
use crate::rule::FindingRule;

pub static RULE: FindingRule = FindingRule {
    name: "half_open",
    title: "a half-open connection",
    severity: FindingSeverity::Warning,
    doc: "A SYN was answered, and the capture shows neither an acknowledgement nor a refusal of the answer: the answer may have been lost after the capture point, or the capture ended too soon.",
    finish: |flow, report| {
        if flow.protocol == "TCP" && flow.answered && !flow.open && flow.reset.is_none() {
            openings(flow)
                .for_each(|index| report.add(index, flow.ends[1 - flow.opener].to_string()));
        }
    },
    tell: |case| {
        format!(
            "the SYN was answered by {}, and nobody acknowledged the answer",
            case.subject
        )
    },
    ..FindingRule::BLANK
};

fn openings(flow: &AnalysedFlow) -> impl Iterator<Item = u64> {
    flow.sides
        .iter()
        .filter_map(|side| side.opening.as_ref())
        .flat_map(|it| it.packets.iter().copied())
}
