//! Openings that nobody answered.

use crate::finding::FindingSeverity;
use crate::rule::{FindingRule, counted};

pub static RULE: FindingRule = FindingRule {
    name: "unanswered",
    title: "a SYN without an answer",
    severity: FindingSeverity::Warning,
    doc: "A SYN was sent, and the capture shows no answer: the host is down, a filter drops the SYN, the answer was lost or took another path, or the capture ended too soon.",
    finish: |flow, report| {
        let opening = flow.sides[flow.opener].opening.as_ref();
        if let Some(opening) =
            opening.filter(|_| !flow.answered && !flow.open && flow.reset.is_none())
        {
            opening
                .packets
                .iter()
                .for_each(|index| report.add(*index, flow.ends[1 - flow.opener].to_string()));
        }
    },
    tell: |case| {
        format!(
            "{} did not answer ({})",
            case.subject,
            counted(case.count, "SYN")
        )
    },
    ..FindingRule::BLANK
};
