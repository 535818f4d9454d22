//! Bytes that are sent again.

use crate::finding::FindingSeverity;
use crate::flow::AnalysedFlow;
use crate::packet_meaning::{Retransmission, RetransmissionVerdict};
use crate::report::FindingReport;
use crate::rule::{FindingRule, counted, each_judged, each_unjudged};

pub static RULE: FindingRule = FindingRule {
    name: "retransmission",
    title: "retransmissions",
    severity: FindingSeverity::Warning,
    doc: "TCP data that was sent again. Spurious where the first copy had arrived: it was acknowledged or held already (SACK), reported as a duplicate (RFC 2883), or its time stamp was echoed (RFC 3522). Necessary where SACK or time stamps show that it had not. Otherwise unknown.",
    observe: |packet, flow, report| each_judged(packet, flow, report, look),
    finish: |flow, report| each_unjudged(flow, report, look),
    tell: |case| format!("{} {}", counted(case.count, "retransmission"), case.subject),
};

fn look(resent: &Retransmission, flow: &AnalysedFlow, side: usize, report: &mut FindingReport<'_>) {
    if resent.opening && !flow.answered {
        return;
    }
    let way = flow.way(side);
    let subject = match resent.verdict {
        RetransmissionVerdict::Needless(why) => format!("(spurious), {way}: {why}"),
        RetransmissionVerdict::Needed(why) => format!("(necessary), {way}: {why}"),
        RetransmissionVerdict::LostBefore => {
            format!("(necessary), {way}: the first copy did not reach the capture point")
        }
        RetransmissionVerdict::Untold => format!("(necessity unknown), {way}"),
    };
    report.add(resent.index, subject);
}
