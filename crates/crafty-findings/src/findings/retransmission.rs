//! Bytes that are sent again.

use super::{Rule, counted};
use crate::{Flow, Report, Resent, Severity, Verdict};

pub static RULE: Rule = Rule {
    name: "retransmission",
    title: "retransmissions",
    severity: Severity::Warning,
    doc: "TCP bytes that were sent again. Needless where they had arrived: acknowledged or held already (SACK), reported as got twice \
          (RFC 2883), or the first copy's time stamp echoed (RFC 3522). Needed where SACK or time stamps say so. Otherwise it cannot be told.",
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
    tell: |case| format!("{} {}", counted(case.count, "retransmission"), case.subject),
};

fn look(resent: &Resent, flow: &Flow, side: usize, report: &mut Report<'_>) {
    if resent.opening && !flow.answered {
        return;
    }
    let way = flow.way(side);
    let subject = match resent.verdict {
        Verdict::Needless(why) => format!("needless, {way}: {why}"),
        Verdict::Needed(why) => format!("needed, {way}: {why}"),
        Verdict::LostBefore => {
            format!("needed, {way}: the first copy did not get as far as this place")
        }
        Verdict::Untold => format!("whose need cannot be told here, {way}"),
    };
    report.add(resent.index, subject);
}
