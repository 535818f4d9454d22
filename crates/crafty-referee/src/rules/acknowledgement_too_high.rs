//! An acknowledgement of what never came.

use super::{TcpRule, sent};
use crate::packet::bits;

pub static RULE: TcpRule = TcpRule {
    name: "acknowledgement_too_high",
    source: "RFC 9293 §3.4",
    doc: "Bytes are acknowledged that did not come. In a trace taken elsewhere, only bytes that nobody sent are reported, and not for captures, which may lack packets.",
    judge: |end, _, event| {
        let seen = sent(event).filter(|seen| !seen.packet.has(bits::RST) && end.peer.known())?;
        // An end that answers a SYN before it has sent its own still speaks for an older connection,
        // whose packets this trace may lack: in TIME-WAIT it acknowledges that one's last byte
        // (RFC 9293 §3.10.7.4, RFC 6191).
        if !end.near && end.peer_syn.is_some() && end.own_syn.is_none() {
            return None;
        }
        let whole = end.near && end.peer_syn.is_some() && !end.arrived.overflown;
        let came = if whole {
            end.arrived.next
        } else {
            end.peer.high
        };
        let over = seen.ack? - came;
        (over > 0).then(|| format!("{over} bytes are acknowledged that did not arrive"))
    },
};
