//! A stream that says something else the second time.

use super::{TcpRule, sent};

pub static RULE: TcpRule = TcpRule {
    name: "changed_data",
    source: "RFC 9293 §3.4, §3.8.1",
    doc: "Data is retransmitted with different bytes: which ones the peer reads is up to chance. Not checked for acknowledged data (a keep-alive probe may carry any byte, §3.8.4), nor beyond 256 KiB in flight.",
    judge: |end, _, event| {
        let seen = sent(event).filter(|seen| seen.packet.data > 0)?;
        let at =
            end.unacknowledged
                .first_change(seen.data_start(), &seen.packet.payload, end.acked)?;
        Some(format!("the byte at {at} differs from the one sent before"))
    },
};
