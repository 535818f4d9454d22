//! Time stamps that stop.

use super::{TcpRule, sent};
use crate::packet::bits;

pub static RULE: TcpRule = TcpRule {
    name: "stamp_missing",
    source: "RFC 7323 §3.2",
    doc: "Both ends negotiated time stamps, but a segment other than a reset has none.",
    judge: |end, _, event| {
        let packet = sent(event)?.packet;
        let may_lack = packet.has(bits::RST | bits::SYN) || packet.stamps.is_some();
        (end.stamped() && !may_lack).then(|| "a segment without the negotiated time stamp".into())
    },
};
