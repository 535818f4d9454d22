//! A gap in what is sent.

use super::{TcpRule, sent_here};

pub static RULE: TcpRule = TcpRule {
    name: "skipped_bytes",
    source: "RFC 9293 §3.4",
    doc: "A segment starts after the end of everything sent before: bytes were skipped. Checked only at the end itself.",
    judge: |end, _, event| {
        let seen = sent_here(end, event).filter(|_| end.own_syn.is_some())?;
        let next = end.own.high.max(end.foreign);
        (seen.left > next).then(|| {
            format!(
                "{} bytes were skipped before this segment",
                seen.left - next
            )
        })
    },
};
