//! The end of the stream moves.

use super::{TcpRule, sent};
use crate::packet::bits;

pub static RULE: TcpRule = TcpRule {
    name: "changed_fin",
    source: "RFC 9293 §3.6",
    doc: "A second FIN has another sequence number than the first.",
    judge: |end, _, event| {
        let seen = sent(event).filter(|seen| seen.packet.has(bits::FIN))?;
        let fin = end.fin?;
        (seen.data_end() != fin)
            .then(|| format!("the FIN was at {fin}, and is now at {}", seen.data_end()))
    },
};
