//! Segments that were lost, and on which side of this place.

use super::{Rule, counted, way};
use crate::{Flow, Report, Resent, Severity, Verdict};

pub static RULE: Rule = Rule {
    name: "loss",
    title: "lost segments",
    severity: Severity::Warning,
    doc: "Octets of TCP that were missing when they were due. Before this place: a gap that a later copy filled. Behind it: octets that \
          passed here twice, and that the receiver said it lacked (SACK), or whose second time stamp it echoed. Where neither is to be \
          had, nothing is said, and the retransmission is a finding alone.",
    observe: |seen, flow, report| {
        if seen.trace.lost_before {
            report.add(seen.index, format!("between the sender and this place, {}", way(seen, flow)));
        }
        if let Some(flow) = flow {
            seen.trace.judged.iter().for_each(|it| behind(it, flow, seen.side, report));
        }
    },
    finish: |flow, report| {
        for (side, it) in flow.sides.iter().enumerate().flat_map(|(i, side)| side.resent.iter().map(move |it| (i, it))) {
            behind(it, flow, side, report);
        }
    },
    tell: |case| format!("{} lost {}", counted(case.count, "segment"), case.subject),
};

fn behind(resent: &Resent, flow: &Flow, side: usize, report: &mut Report<'_>) {
    if matches!(resent.verdict, Verdict::Needed(_)) {
        report.add(resent.index, format!("between this place and the receiver, {}", flow.way(side)));
    }
}
