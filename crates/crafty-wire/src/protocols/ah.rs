//! IP Authentication Header.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "AH",
    title: "IP Authentication Header",
    spec: "RFC 4302",
    about: "Authenticates the sender of a packet. The check value is bytes: it is neither computed nor verified.",
    example: "/IP(dst=192.0.2.1)/AH(spi=0x100, seq=1, icv=#000000000000000000000000)/UDP(dst=53)",
    fields: &layout([
        named("next", 8, PROTOCOLS)
            .computed(Auto::NextLayer(59))
            .doc("What follows the header."),
        uint("len", 8)
            .computed(header_len(4, 2))
            .doc("Length of the header in 32-bit words, minus 2."),
        uint("reserved", 16).doc("Reserved."),
        uint("spi", 32).doc("Security association."),
        uint("seq", 32).modular().doc("Number of the packet."),
        bytes("icv")
            .extent(Extent::Header)
            .doc("Integrity check value."),
    ]),
    under: &[under("IP", "proto", 51)],
    like: Some("IP"),
    next: NextLayer::Field("next"),
    role: LayerRole::Authentication,
    ..Layer::BLANK
}
.seal();
