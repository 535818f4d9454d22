//! Segments that were lost, and on which side of this place.

use crate::finding::FindingSeverity;
use crate::flow::AnalysedFlow;
use crate::packet_meaning::{Retransmission, RetransmissionVerdict};
use crate::report::FindingReport;
use crate::rule::{FindingRule, counted, each_judged, each_unjudged};

pub static RULE: FindingRule = FindingRule {
    name: "loss",
    title: "lost segments",
    severity: FindingSeverity::Warning,
    doc: "Bytes of TCP that were missing when they were due. Before this place: a gap that a later copy filled. Behind it: bytes that \
          passed here twice, and that the receiver said it lacked (SACK), or whose second time stamp it echoed. Where neither is to be \
          had, nothing is said, and the retransmission is a finding alone.",
    observe: |packet, flow, report| each_judged(packet, flow, report, look),
    finish: |flow, report| each_unjudged(flow, report, look),
    tell: |case| format!("{} lost {}", counted(case.count, "segment"), case.subject),
};

fn look(resent: &Retransmission, flow: &AnalysedFlow, side: usize, report: &mut FindingReport<'_>) {
    let place = match resent.verdict {
        RetransmissionVerdict::LostBefore => "between the sender and this place",
        RetransmissionVerdict::Needed(_) => "between this place and the receiver",
        RetransmissionVerdict::Untold | RetransmissionVerdict::Needless(_) => return,
    };
    report.add(resent.index, format!("{place}, {}", flow.way(side)));
}
