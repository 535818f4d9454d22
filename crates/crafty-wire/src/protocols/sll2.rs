//! Linux cooked capture, version 2.

use super::sll::{DIRECTIONS, LINKS};
use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "SLL2",
    title: "Linux cooked capture version 2",
    spec: "LINKTYPE_LINUX_SLL2",
    about: "The header that captures on all interfaces have instead of a link header, with the interface.",
    example: "/SLL2/IP(dst=192.0.2.1)/UDP(dst=53)",
    fields: &layout([
        named("type", 16, ETHER_TYPES)
            .computed(Auto::NextLayer(0x88b5))
            .doc("Type of the packet."),
        uint("reserved", 16).doc("Reserved."),
        uint("interface", 32).doc("Index of the interface."),
        named("link", 16, LINKS)
            .default(1)
            .doc("Kind of the interface (ARPHRD)."),
        named("direction", 8, DIRECTIONS).doc("Direction of the packet."),
        uint("address_len", 8)
            .default(6)
            .doc("Bytes of the link address."),
        octets("address", 8).doc("Link address of the sender, padded."),
    ]),
    like: Some("Eth"),
    next: NextLayer::Field("type"),
    link_types: &[276],
    role: LayerRole::Link,
    ..Layer::BLANK
}
.seal();
