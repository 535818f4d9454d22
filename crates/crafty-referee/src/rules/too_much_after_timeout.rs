//! More than a segment after a time-out.

use super::{TcpRule, sent_here};

pub static RULE: TcpRule = TcpRule {
    name: "too_much_after_timeout",
    source: "RFC 5681 §3.1",
    doc: "After a retransmission timeout more than one full segment is sent before anything arrives from the peer (the loss window is one segment). Checked only at the end itself, and only if the round trip is known.",
    judge: |end, now, event| {
        let seen = sent_here(end, event)
            .filter(|seen| seen.right > seen.left && !end.is_timeout(now, seen))?;
        let all = end.after_timeout? + seen.right - seen.left;
        let size = end.peer_syn.as_ref()?.mss.map_or(1220, i64::from).max(536);
        // A FIN takes a number and no room.
        (all > size + 1).then(|| format!("{all} bytes after a timeout, before anything arrived"))
    },
};
