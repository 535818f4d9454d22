//! The end of the stream beyond what the peer ever offered.

use super::{TcpRule, sent};
use crate::packet::bits;

pub static RULE: TcpRule = TcpRule {
    name: "fin_beyond_window",
    source: "RFC 9293 §3.4",
    doc: "A FIN, which takes a sequence number as data does, is beyond the highest right edge that the peer ever offered. A FIN alone at \
          the edge is a probe (RFC 9293 §3.8.6.1). Checked only if the trace has the handshake.",
    judge: |end, _, event| {
        let seen = sent(event).filter(|seen| seen.packet.has(bits::FIN))?;
        let edge = end.edge.filter(|_| end.opened())?.max(end.foreign);
        let probe = seen.left == edge && seen.packet.data == 0;
        (seen.right > edge && !probe).then(|| {
            format!(
                "a FIN at {}, but the highest right edge is {edge}",
                seen.data_end()
            )
        })
    },
};
