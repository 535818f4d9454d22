//! A connection that anybody can cut.

use super::{TcpRule, sent};
use crate::end::ExpectedReset;
use crate::packet::bits;

pub static RULE: TcpRule = TcpRule {
    name: "reset_instead_of_challenge",
    source: "RFC 5961 §4.2, §5.2",
    doc: "A SYN, or an acknowledgement of data that was never sent, arrives in an open connection and is answered by a reset: anybody who guesses a number can end the connection. The correct answer is a challenge acknowledgement.",
    judge: |end, _, event| {
        let seen = sent(event).filter(|seen| end.near && seen.packet.has(bits::RST))?;
        let packet = seen.packet;
        let answers = match end.doubted? {
            ExpectedReset::At(seq) => !packet.has(bits::ACK) && packet.seq == seq,
            // The owner's own end of the connection acknowledges what was acknowledged before.
            ExpectedReset::Of(ack) => {
                packet.ack == ack && seen.ack.is_some_and(|it| Some(it) != end.acknowledged)
            }
        };
        answers.then(|| {
            "a segment that needs a challenge acknowledgement is answered by a reset".into()
        })
    },
};
