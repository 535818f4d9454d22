//! The length before a DNS message in a TCP stream.

use crate::stream::behind_length;
use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "DNSTCP",
    title: "DNS message in a TCP stream",
    spec: "RFC 1035 section 4.2.2, RFC 7766",
    about: "The length of a DNS message that TCP carries. A message is recognized at the start of a segment.",
    example: "/IP(dst=192.0.2.53)/TCP(src=50000, dst=53)/DNSTCP/DNS(id=7, qname=\"example.com\", qtype=a)",
    fields: &layout([uint("len", 16).computed(payload_len()).doc("Length of the message, in bytes.")]),
    under: &[under("TCP", "dst", 53)],
    next: NextLayer::Always(&super::dns::LAYER),
    accepts: Some(|octets| octets.len() >= LEAST),
    message: Some(message),
    ..Layer::BLANK
}
.seal();

/// Bytes of the length and of the header of a message.
const LEAST: usize = 14;
/// Bytes of the length.
const LEN: usize = 2;

fn message(_: &mut Scan, octets: &[u8]) -> Framing {
    behind_length(octets, LEN, |head| {
        Some(LEN + usize::from(u16::from_be_bytes(head.try_into().ok()?)))
            .filter(|takes| *takes >= LEAST)
    })
}
