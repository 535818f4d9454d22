//! Linux cooked capture, version 1.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "SLL",
    title: "Linux cooked capture",
    spec: "LINKTYPE_LINUX_SLL",
    about: "The header that captures on all interfaces have instead of a link header.",
    example: "/SLL/IP(dst=192.0.2.1)/UDP(dst=53)",
    fields: &layout([
        named("direction", 16, DIRECTIONS).doc("Direction of the packet."),
        named("link", 16, LINKS)
            .default(1)
            .doc("Kind of the interface (ARPHRD)."),
        uint("address_len", 16)
            .default(6)
            .doc("Bytes of the link address."),
        octets("address", 8).doc("Link address of the sender, padded."),
        named("type", 16, ETHER_TYPES)
            .computed(Auto::NextLayer(0x88b5))
            .doc("Type of the packet."),
    ]),
    like: Some("Eth"),
    next: NextLayer::Field("type"),
    link_types: &[113],
    role: LayerRole::Link,
    ..Layer::BLANK
}
.seal();

/// Directions of cooked packets.
pub(super) const DIRECTIONS: NameTable = &[
    (0, "to_us"),
    (1, "broadcast"),
    (2, "multicast"),
    (3, "to_other"),
    (4, "sent"),
];
/// Kinds of interfaces.
pub(super) const LINKS: NameTable = &[
    (1, "eth"),
    (512, "ppp"),
    (768, "ipip"),
    (772, "loopback"),
    (778, "gre"),
    (0xfffe, "none"),
];
