//! Data after the end of the stream.

use super::{TcpRule, sent};

pub static RULE: TcpRule = TcpRule {
    name: "data_after_fin",
    source: "RFC 9293 §3.6",
    doc: "A segment carries data after the FIN.",
    judge: |end, _, event| {
        let seen = sent(event).filter(|seen| seen.packet.data > 0)?;
        let fin = end.fin?;
        (seen.data_end() > fin).then(|| format!("{} bytes after the FIN", seen.data_end() - fin))
    },
};
