//! Address Resolution Protocol, for IPv4 on Ethernet.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "ARP",
    title: "Address Resolution Protocol",
    spec: "RFC 826",
    about: "Asks which host has an IPv4 address, and answers.",
    example: "/Eth/ARP(op=request, tpa=192.0.2.1)",
    fields: &layout([
        named("htype", 16, &[(1, "eth")])
            .default(1)
            .doc("Type of the link."),
        named("ptype", 16, ETHER_TYPES)
            .default(0x0800)
            .doc("Protocol of the addresses."),
        uint("hlen", 8)
            .default(6)
            .doc("Length of a link address, in bytes."),
        uint("plen", 8)
            .default(4)
            .doc("Length of a protocol address, in bytes."),
        named("op", 16, OPERATIONS).default(1).doc("Operation."),
        mac("sha").doc("Link address of the sender."),
        ip4("spa").doc("Protocol address of the sender."),
        mac("tha").doc("Link address of the target."),
        ip4("tpa").doc("Protocol address of the target."),
    ]),
    under: &[under("Eth", "type", 0x0806), under("Eth", "type", 0x8035)],
    accepts: Some(accepts),
    otherwise: Some(&super::arp_other::LAYER),
    ..Layer::BLANK
}
.seal();

pub(super) const OPERATIONS: NameTable = &[
    (1, "request"),
    (2, "reply"),
    (3, "reverse_request"),
    (4, "reverse_reply"),
    (8, "inverse_request"),
    (9, "inverse_reply"),
];

fn accepts(octets: &[u8]) -> bool {
    octets.get(4..6).is_none_or(|lengths| lengths == [6, 4])
}
