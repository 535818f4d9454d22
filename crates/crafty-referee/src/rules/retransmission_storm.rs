//! The same bytes again and again.

use super::{TcpRule, sent_here};
use crafty_value::Duration;

/// Retransmissions of the same bytes that a moment may hold while nothing is heard.
const MOST: u32 = 3;
/// The moment: shorter than any retransmission timer in use.
const MOMENT: Duration = Duration::millis(150);

pub static RULE: TcpRule = TcpRule {
    name: "retransmission_storm",
    source: "RFC 6298 §5, RFC 5681 §3.1",
    doc: "The same bytes are retransmitted more than three times within 150 ms, although nothing arrived in between. Checked only at the end itself.",
    judge: |end, now, event| {
        let seen = sent_here(end, event).filter(|seen| seen.right > seen.left)?;
        let again = end.again.filter(|again| again.left == seen.left)?;
        let storm = again.times >= MOST && now.since(again.first) < MOMENT;
        storm.then(|| {
            format!(
                "the same bytes are retransmitted {} times within {}",
                again.times + 1,
                now.since(again.first)
            )
        })
    },
};
