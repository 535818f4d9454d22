//! Internet Protocol version 6.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "IP6",
    title: "Internet Protocol version 6",
    spec: "RFC 8200",
    about: "Carries a packet from host to host; the options of IPv4 are separate headers.",
    example: "/IP6(dst=2001:db8::1, ttl=5)/UDP(dst=33434)",
    fields: &layout([
        uint("version", 4)
            .default(6)
            .doc("Version of the protocol."),
        named("dscp", 6, DSCP).doc("Service class (RFC 2474)."),
        named("ecn", 2, ECN).doc("Congestion mark (RFC 3168)."),
        uint("flow", 20).doc("Flow label (RFC 6437)."),
        uint("len", 16)
            .computed(payload_len())
            .doc("Length of what follows the header, in bytes."),
        named("next", 8, PROTOCOLS)
            .computed(Auto::NextLayer(59))
            .doc("What follows the header."),
        uint("ttl", 8).default(64).doc("Hop limit: remaining hops."),
        ip6("src").doc("Source; another host's address needs `PERMISSIONS.sources`."),
        ip6("dst").doc("Destination."),
    ]),
    under: &[
        under("Eth", "type", 0x86dd),
        under("IP", "proto", 41),
        under("PPP", "proto", 0x0057),
        under("VXLANGPE", "next", 2),
        under("Null", "family", 0x1800_0000),
        under("Loop", "family", 24),
    ],
    like: Some("IP"),
    next: NextLayer::Field("next"),
    pseudo: &["src", "dst"],
    strict_checksums: true,
    check: Some(check),
    link_types: &[229],
    role: LayerRole::Network,
    ..Layer::BLANK
}
.seal();

/// Payload length.
pub const LEN: Slot = LAYER.slot("len");
/// Next header.
pub const NEXT: Slot = LAYER.slot("next");
/// Hop limit.
pub const TTL: Slot = LAYER.slot("ttl");
/// First byte of the source.
pub const SRC: usize = 8;
/// First byte of the destination.
pub const DST: usize = 24;

const VERSION: Slot = LAYER.slot("version");

fn check(header: &[u8]) -> Option<&'static str> {
    (VERSION.get(header) != Some(6)).then_some("the version is not 6")
}
