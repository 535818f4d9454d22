//! A stream that says something else the second time.

use super::{TcpRule, sent};

pub static RULE: TcpRule = TcpRule {
    name: "changed_data",
    source: "RFC 9293 §3.4, §3.8.1",
    doc: "Data goes again with other bytes than before: which ones the peer reads is chance. Not told of data that is acknowledged (a \
          keep-alive probe may carry any byte, §3.8.4), nor beyond 256 KiB under way.",
    judge: |end, _, event| {
        let seen = sent(event).filter(|seen| seen.packet.data > 0)?;
        let at =
            end.unacknowledged
                .first_change(seen.data_start(), &seen.packet.payload, end.acked)?;
        Some(format!("the byte at {at} is another than before"))
    },
};
