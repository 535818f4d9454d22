//! An acknowledgement of less than before.

use super::{TcpRule, sent_here};

pub static RULE: TcpRule = TcpRule {
    name: "acknowledgement_back",
    source: "RFC 9293 §3.3.1, §3.4",
    doc: "What was acknowledged is not acknowledged any more: RCV.NXT only advances. Told at the end itself.",
    judge: |end, _, event| {
        let seen = sent_here(end, event)?;
        let back = end.acknowledged? - seen.ack?;
        (back > 0).then(|| format!("{back} bytes are not acknowledged any more"))
    },
};
