//! Empty segments that answer empty segments.

use super::{TcpRule, sent_here};
use crafty_value::Duration;

/// Empty segments a second that need no data to answer: challenges and window updates (RFC 5961 §7
/// has ten challenges).
const MOST: u32 = 40;

pub static RULE: TcpRule = TcpRule {
    name: "acknowledgement_storm",
    source: "RFC 9293 §3.10.7.4, RFC 5961 §7",
    doc: "More than forty empty segments are sent in a second while no data arrives: two ends answer each other forever. Checked only at the end itself.",
    judge: |end, now, event| {
        let seen = sent_here(end, event).filter(|seen| seen.right == seen.left)?;
        let (since, sent) = end.idle.filter(|_| end.offer(seen, true) <= end.offered)?;
        let seconds = 1 + now.since(since).0 / Duration::seconds(1).0;
        (i64::from(sent) >= i64::from(MOST) * seconds).then(|| {
            format!(
                "{} empty segments in {seconds} s without data to answer",
                sent + 1
            )
        })
    },
};
