//! Segments over the size that the peer takes.

use super::{TcpRule, sent};

/// Every host takes datagrams of 576 bytes, and segments of 536 (RFC 9293 §3.7.1): an end need not
/// believe a peer that says less.
const LEAST: u32 = 536;

pub static RULE: TcpRule = TcpRule {
    name: "over_mss",
    source: "RFC 9293 §3.7.1",
    doc: "Data and options exceed the maximum segment size that the peer announced; without an announcement, 536 bytes, or 1220 over IPv6. Checked only if the trace has the handshake and packet sizes are those on the wire.",
    judge: |end, _, event| {
        let packet = sent(event)
            .filter(|seen| seen.packet.data > 0 && seen.packet.sizes)?
            .packet;
        let default = if packet.source.is_ipv4() { 536 } else { 1220 };
        let told = end.peer_syn.as_ref()?.mss.map_or(default, u32::from);
        let (size, limit) = (packet.data + packet.options, told.max(LEAST));
        (size > limit)
            .then(|| format!("{size} bytes of data and options, but the peer's MSS is {told}"))
    },
};
