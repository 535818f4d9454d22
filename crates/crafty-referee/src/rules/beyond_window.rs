//! Data, or any number, beyond what the peer ever offered.

use super::{TcpRule, sent};
use crate::packet::bits;

/// The first number behind our SYN.
const BEHIND_SYN: i64 = 1;

pub static RULE: TcpRule = TcpRule {
    name: "beyond_window",
    source: "RFC 9293 §3.4, §3.8.6",
    doc: "A segment has numbers beyond the highest right edge that the peer ever offered. The peer does not accept such data, and a strict peer drops even an empty segment there, with its acknowledgement. One byte at the edge is a probe (RFC 9293 §3.8.6.1). Checked only if the trace has the handshake, because the window scale is in it.",
    judge: |end, _, event| {
        let seen = sent(event).filter(|seen| !seen.packet.has(bits::SYN))?;
        // A SYN needs no offer (RFC 9293 §3.8.6 speaks of data), so the number behind it has one.
        let edge = end
            .edge
            .filter(|_| end.opened())?
            .max(end.foreign)
            .max(BEHIND_SYN);
        let probe = seen.left <= edge && seen.packet.data <= 1;
        // Behind a FIN that probed the edge the next number is one beyond.
        let edge = edge + i64::from(seen.packet.data == 0 && end.fin == Some(edge));
        let over = seen.data_end() - edge;
        (over > 0 && !probe).then(|| {
            let what = if seen.packet.data > 0 {
                "data"
            } else {
                "an empty segment"
            };
            format!(
                "{what} up to {}, {over} beyond the highest right edge that was ever offered",
                seen.data_end()
            )
        })
    },
};
