//! Segments that were lost, and on which side of this place.

use super::{Rule, counted};
use crate::{Flow, Report, Resent, Severity, Verdict};

pub static RULE: Rule = Rule {
    name: "loss",
    title: "lost segments",
    severity: Severity::Warning,
    doc: "Bytes of TCP that were missing when they were due. Before this place: a gap that a later copy filled. Behind it: bytes that \
          passed here twice, and that the receiver said it lacked (SACK), or whose second time stamp it echoed. Where neither is to be \
          had, nothing is said, and the retransmission is a finding alone.",
    observe: |seen, flow, report| {
        if let Some(flow) = flow {
            seen.trace
                .judged
                .iter()
                .for_each(|it| look(it, flow, seen.side, report));
        }
    },
    finish: |flow, report| {
        for (side, it) in flow
            .sides
            .iter()
            .enumerate()
            .flat_map(|(i, side)| side.resent.iter().map(move |it| (i, it)))
        {
            look(it, flow, side, report);
        }
    },
    tell: |case| format!("{} lost {}", counted(case.count, "segment"), case.subject),
};

fn look(resent: &Resent, flow: &Flow, side: usize, report: &mut Report<'_>) {
    let place = match resent.verdict {
        Verdict::LostBefore => "between the sender and this place",
        Verdict::Needed(_) => "between this place and the receiver",
        Verdict::Untold | Verdict::Needless(_) => return,
    };
    report.add(resent.index, format!("{place}, {}", flow.way(side)));
}
