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
    doc: "TCP bytes that were sent again. Needless where they had arrived: acknowledged or held already (SACK), reported as got twice \
          (RFC 2883), or the first copy's time stamp echoed (RFC 3522). Needed where SACK or time stamps say so. Otherwise it cannot be told.",
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
        RetransmissionVerdict::Needless(why) => format!("needless, {way}: {why}"),
        RetransmissionVerdict::Needed(why) => format!("needed, {way}: {why}"),
        RetransmissionVerdict::LostBefore => {
            format!("needed, {way}: the first copy did not get as far as this place")
        }
        RetransmissionVerdict::Untold => format!("whose need cannot be told here, {way}"),
    };
    report.add(resent.index, subject);
}
