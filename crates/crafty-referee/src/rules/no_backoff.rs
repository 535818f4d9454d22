//! Time-outs that do not grow.

use super::{TcpRule, sent_here};
use crafty_value::Duration;

/// A clock's grain, and what a busy machine adds.
const GRAIN: Duration = Duration::millis(60);
/// Time-outs may stop growing here (RFC 6298 §2.5).
const LONG: Duration = Duration::seconds(50);

pub static RULE: TcpRule = TcpRule {
    name: "no_backoff",
    source: "RFC 6298 §5.5",
    doc: "While nothing arrives, the same bytes are retransmitted after a shorter timeout than before. Checked only at the end itself.",
    judge: |end, now, event| {
        let seen = sent_here(end, event).filter(|seen| seen.right > seen.left)?;
        let again = end.again.filter(|again| again.left == seen.left)?;
        let (before, gap) = (again.gap?, now.since(again.last));
        (gap.0 + GRAIN.0 < before.0 && gap < LONG)
            .then(|| format!("a timeout of {gap} after one of {before}"))
    },
};
