//! An echo of a time stamp that never came.

use super::{TcpRule, sent};
use crate::packet::bits;

pub static RULE: TcpRule = TcpRule {
    name: "stamp_echo",
    source: "RFC 7323 §3.2, §4.3",
    doc: "The echoed time stamp is higher than any that arrived.",
    judge: |end, _, event| {
        let packet = sent(event)?.packet;
        let (_, echo) = packet.stamps.filter(|_| packet.has(bits::ACK))?;
        let stamps = Some(&end.peer_stamps).filter(|stamps| stamps.known())?;
        let ahead = stamps.position(echo) - stamps.high;
        (ahead > 0 && end.stamped())
            .then(|| format!("the echoed time stamp is {ahead} ahead of the highest that arrived"))
    },
};
