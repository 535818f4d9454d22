//! An acknowledgement of less than before.

use super::{TcpRule, sent_here};

pub static RULE: TcpRule = TcpRule {
    name: "acknowledgement_back",
    source: "RFC 9293 §3.3.1, §3.4",
    doc: "The acknowledgement number goes backwards: RCV.NXT only advances. Checked only at the end itself.",
    judge: |end, _, event| {
        let seen = sent_here(end, event)?;
        let back = end.acknowledged? - seen.ack?;
        (back > 0).then(|| format!("the acknowledgement number goes back by {back} bytes"))
    },
};
