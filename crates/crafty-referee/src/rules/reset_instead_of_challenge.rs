//! A connection that anybody can cut.

use super::{TcpRule, sent};
use crate::packet::bits;

pub static RULE: TcpRule = TcpRule {
    name: "reset_instead_of_challenge",
    source: "RFC 5961 §4.2, §5.2",
    doc: "A SYN, or an acknowledgement of what was never sent, comes into an open connection and is answered by a reset: anybody who guesses \
          a number can cut it. It is to be asked back with an acknowledgement.",
    judge: |end, _, event| {
        let packet = sent(event)
            .filter(|seen| end.near && seen.packet.has(bits::RST))?
            .packet;
        let (seq, ack) = end.doubted?;
        let answers = if packet.has(bits::ACK) {
            packet.ack == seq.wrapping_add(1)
        } else {
            packet.seq == ack
        };
        answers.then(|| "a segment that should be asked back is answered by a reset".into())
    },
};
