//! MPLS label. What follows the last label is not named anywhere: one has to look.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "MPLS",
    title: "Multiprotocol Label Switching",
    spec: "RFC 3032",
    about: "A label that routers use to forward a packet. The last label of a stack has `bottom` set; the layer after it is recognized by its first bits.",
    example: "/Eth/MPLS(label=16)/IP(dst=192.0.2.1)/UDP(dst=53)",
    fields: &layout([
        uint("label", 20).doc("The label."),
        uint("tc", 3).doc("Traffic class."),
        uint("bottom", 1).default(1).doc("1 on the last label of the stack."),
        uint("ttl", 8).default(64).doc("Remaining hops."),
    ]),
    under: &[under("Eth", "type", 0x8847), under("Eth", "type", 0x8848), under("IP", "proto", 137), under("PPP", "proto", 0x0281), under("VXLANGPE", "next", 5)],
    next: NextLayer::Peek(next),
    role: LayerRole::Tunnel,
    ..Layer::BLANK
}
.seal();

const BOTTOM: Slot = LAYER.slot("bottom");

fn next(header: &[u8], payload: &[u8]) -> Option<&'static Layer> {
    match (BOTTOM.get(header)?, payload.first()? >> 4) {
        (0, _) => Some(&LAYER),
        (_, 4) => Some(&super::ip::LAYER),
        (_, 6) => Some(&super::ip6::LAYER),
        _ => None,
    }
}
