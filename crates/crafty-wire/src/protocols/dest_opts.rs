//! Destination options of IPv6.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "DestOpts",
    title: "IPv6 destination options",
    spec: "RFC 8200 section 4.6",
    about: "Options for the destination alone.",
    example: "/IP6(dst=2001:db8::1)/DestOpts(options=[padn(#00000000)])/ICMP6(type=echo_request)",
    fields: &layout([
        named("next", 8, PROTOCOLS).computed(Auto::NextLayer(59)).doc("What follows the header."),
        uint("len", 8).computed(header_len(8, 1)).doc("Header length, in units of eight octets, without the first."),
        options("options", &super::hop_by_hop::OPTIONS).doc("The options; padded as needed."),
    ]),
    under: &[under("IP6", "next", 60)],
    like: Some("IP6"),
    next: Next::Field("next"),
    ..Layer::BLANK
}
.seal();
