//! Room that was offered is taken back.

use super::{TcpRule, sent_here};

pub static RULE: TcpRule = TcpRule {
    name: "window_back",
    source: "RFC 9293 §3.8.6",
    doc: "The right edge of the window moves left by more than the unit of its scale: data that the peer was allowed to send is dropped. Checked only at the end itself, and only if the trace has the handshake.",
    judge: |end, _, event| {
        let seen = sent_here(end, event)?;
        let (now, before, shift) = (end.offer(seen, true)?, end.offered?, end.scale(true)?);
        let back = before - now;
        (back >= 1 << shift).then(|| format!("{back} bytes of the window were taken back"))
    },
};
