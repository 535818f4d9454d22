//! Address resolution between stations whose link addresses are not those of Ethernet: their length
//! is the one that the packet gives.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "ARPOther",
    title: "Address Resolution Protocol for other links",
    spec: "RFC 826, RFC 4391",
    about: "Asks which host has an IPv4 address, on a link whose addresses are not six bytes long. On Ethernet it is `ARP`.",
    example: "/Eth(type=arp)/ARPOther(htype=32, sha=#0001020304050607, spa=192.0.2.1, tha=#0000000000000000, tpa=192.0.2.2)",
    fields: &layout([
        uint("htype", 16).default(32).doc("Type of the link."),
        named("ptype", 16, ETHER_TYPES)
            .default(0x0800)
            .doc("Protocol of the addresses."),
        uint("hlen", 8)
            .computed(Auto::Length { of: Of::Field, unit: 1, add: 0 })
            .doc("Length of a link address, in bytes."),
        uint("plen", 8).default(4).doc("Length of a protocol address, in bytes."),
        named("op", 16, super::arp::OPERATIONS)
            .default(1)
            .doc("Operation."),
        bytes("sha")
            .extent(Extent::Counted("hlen"))
            .doc("Link address of the sender."),
        ip4("spa").doc("Protocol address of the sender."),
        bytes("tha")
            .extent(Extent::Counted("hlen"))
            .doc("Link address of the target."),
        ip4("tpa").doc("Protocol address of the target."),
    ]),
    accepts: Some(|octets| octets.get(5) == Some(&4)),
    body: Some(all_padding),
    ..Layer::BLANK
}
.seal();
