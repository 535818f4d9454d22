//! Network Service Header: the way of a packet through service functions.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "NSH",
    title: "Network Service Header",
    spec: "RFC 8300",
    about: "Guides a packet through a chain of service functions (firewalls, load balancers), with metadata for them.",
    example: "/Eth/NSH(spi=42, si=255)/IP(dst=198.51.100.1)/UDP(dst=53)",
    fields: &layout([
        uint("version", 2).doc("Version."),
        uint("oam", 1).doc("The packet tests the path: functions do not treat it as traffic."),
        uint("reserved", 1).doc("Reserved."),
        uint("ttl", 6).default(63).doc("Forwarders that the packet may still pass."),
        uint("len", 6).computed(header_len(4, 0)).doc("Length of the header, in 32-bit words."),
        uint("reserved2", 4).doc("Reserved."),
        uint("md_type", 4).default(1).doc("Form of the metadata: 1 is four fixed words, 2 a list."),
        named("next", 8, NEXT).computed(Auto::NextLayer(254)).doc("What is carried."),
        uint("spi", 24).doc("Service path that the packet takes."),
        uint("si", 8).default(255).doc("Position on the path; each function counts it down."),
        octets("context", 16).when(When::In("md_type", &[1])).doc("Metadata of type 1, in the form that the operator chose."),
        bytes("rest").extent(Extent::Header).when(When::In("md_type", &[1])).doc("Extra bytes after metadata of type 1, if the length is wrong."),
        options("metadata", &METADATA).when(When::NotIn("md_type", &[1])).doc("Metadata of type 2."),
    ]),
    under: &[under("Eth", "type", 0x894f), under("VXLANGPE", "next", 4)],
    like: Some("VXLANGPE"),
    next: NextLayer::Field("next"),
    role: LayerRole::Tunnel,
    ..Layer::BLANK
}
.seal();

const NEXT: NameTable = &[
    (1, "ip"),
    (2, "ip6"),
    (3, "eth"),
    (4, "nsh"),
    (5, "mpls"),
    (254, "experiment1"),
    (255, "experiment2"),
];

/// Class and type are the kind (RFC 8300 §2.5.1).
static METADATA: Tlv = Tlv {
    options: &[opt(
        0,
        "other",
        OptionShape::Fields(&layout([
            bytes("data").doc("What it holds."),
            uint("class", 16).in_head(0).doc("Who defined it."),
            uint("type", 8).in_head(16).doc("Subtype."),
        ])),
        "Metadata of any class.",
    )
    .masked(0)],
    head: 4,
    kind: Slot::at(0, 24),
    len: Slot::at(25, 7),
    counts_head: false,
    align: 4,
    ..KIND_LENGTH
};
