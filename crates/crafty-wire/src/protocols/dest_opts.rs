//! Destination options of IPv6.

use core::ops::Range;

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "DestOpts",
    title: "IPv6 destination options",
    spec: "RFC 8200 section 4.6",
    about: "Options for the destination only.",
    example: "/IP6(dst=2001:db8::1)/DestOpts(options=[padn(#00000000)])/ICMP6(type=echo_request)",
    fields: &layout([
        named("next", 8, PROTOCOLS)
            .computed(Auto::NextLayer(59))
            .doc("What follows the header."),
        uint("len", 8)
            .computed(header_len(8, 1))
            .doc("Header length in units of eight bytes, not counting the first eight."),
        options("options", &super::hop_by_hop::OPTIONS).doc("The options; padded as needed."),
    ]),
    under: &[under("IP6", "next", 60)],
    like: Some("IP6"),
    next: NextLayer::Field("next"),
    home: Some(home),
    role: LayerRole::Extension,
    ..Layer::BLANK
}
.seal();

const HOME_ADDRESS: u8 = 0xc9;

/// The home address, which stands for the source (RFC 6275 §11.3.1).
fn home(header: &[u8]) -> Option<Range<usize>> {
    let mut at = 2;
    while let Some((&kind, rest)) = header.get(at..)?.split_first() {
        match (kind, rest.first()) {
            (0, _) => at += 1,
            (HOME_ADDRESS, Some(16)) => {
                return (at + 18 <= header.len()).then_some(at + 2..at + 18);
            }
            (_, Some(&len)) => at += 2 + usize::from(len),
            (_, None) => return None,
        }
    }
    None
}
