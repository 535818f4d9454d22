//! Datagrams over the size that a router told.

use super::{TcpRule, sent_here};
use crafty_value::Duration;

/// Larger ones may be tried again after this (RFC 1191 §6.3, RFC 8201 §4).
const AGES: Duration = Duration::seconds(300);
/// Segments that are on their way down as the error comes in.
const UNDER_WAY: Duration = Duration::millis(10);

pub static RULE: TcpRule = TcpRule {
    name: "over_path_mtu",
    source: "RFC 1191 §3, §6.3, RFC 8201 §4",
    doc: "Datagrams are larger than the MTU that a router reported within the last five minutes. An end need not go below the size that every path carries: 576 bytes, or 1280 over IPv6. Checked only at the end itself, and only if packet sizes are those on the wire.",
    judge: |end, now, event| {
        let packet = sent_here(end, event)
            .filter(|seen| seen.packet.sizes)?
            .packet;
        let (mtu, told) = end.path_mtu?;
        let least = if packet.source.is_ipv4() { 576 } else { 1280 };
        let age = now.since(told);
        (packet.total > mtu.max(least) && age > UNDER_WAY && age < AGES).then(|| {
            format!(
                "a datagram of {} bytes, but a router reported an MTU of {mtu}",
                packet.total
            )
        })
    },
};
