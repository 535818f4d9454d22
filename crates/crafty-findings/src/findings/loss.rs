//! Segments that were lost, and on which side of the capture point.

use crate::finding::FindingSeverity;
use crate::flow::AnalysedFlow;
use crate::packet_meaning::{Retransmission, RetransmissionVerdict};
use crate::report::FindingReport;
use crate::rule::{FindingRule, counted, each_judged, each_unjudged};

pub static RULE: FindingRule = FindingRule {
    name: "loss",
    title: "lost segments",
    severity: FindingSeverity::Warning,
    doc: "TCP segments that were lost. Before the capture point: a gap that a retransmission filled. After it: data that was captured twice and that the receiver reported missing (SACK), or of which it echoed the second time stamp. Without SACK and time stamps no loss is reported, only the retransmission.",
    observe: |packet, flow, report| each_judged(packet, flow, report, look),
    finish: |flow, report| each_unjudged(flow, report, look),
    tell: |case| format!("{} lost {}", counted(case.count, "segment"), case.subject),
};

fn look(resent: &Retransmission, flow: &AnalysedFlow, side: usize, report: &mut FindingReport<'_>) {
    let place = match resent.verdict {
        RetransmissionVerdict::LostBefore => "between the sender and the capture point",
        RetransmissionVerdict::Needed(_) => "between the capture point and the receiver",
        RetransmissionVerdict::Untold | RetransmissionVerdict::Needless(_) => return,
    };
    report.add(resent.index, format!("{place}, {}", flow.way(side)));
}
