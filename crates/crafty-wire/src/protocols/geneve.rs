//! Generic Network Virtualization Encapsulation.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "GENEVE",
    title: "Generic Network Virtualization Encapsulation",
    spec: "RFC 8926",
    about: "Carries any packet in UDP, with options.",
    example: "/IP(dst=192.0.2.1)/UDP(src=50000)/GENEVE(vni=7)/Eth/IP(dst=198.51.100.1)/UDP(dst=53)",
    fields: &layout([
        uint("version", 2).doc("Version."),
        uint("options_len", 6)
            .computed(header_len(4, 2))
            .doc("Length of the options, in 32-bit words."),
        uint("oam", 1).doc("A control packet."),
        uint("critical", 1).doc("There are options that must be understood."),
        uint("reserved", 6).doc("Reserved."),
        named("proto", 16, ETHER_TYPES)
            .computed(Auto::NextLayer(0x6558))
            .doc("What is carried."),
        uint("vni", 24).doc("Segment that the inner packet belongs to."),
        uint("reserved2", 8).doc("Reserved."),
        options("options", &OPTIONS)
            .doc("Class, type and data of each option; write unknown ones as `raw`."),
    ]),
    under: &[under("UDP", "dst", 6081)],
    like: Some("GRE"),
    next: NextLayer::Field("proto"),
    role: LayerRole::Tunnel,
    network_id: Some("vni"),
    ..Layer::BLANK
}
.seal();

/// The kind is class and type in one.
static OPTIONS: Tlv = Tlv {
    options: &[
        opt(
            0x01_0280,
            "ovn",
            OptionShape::Fields(&layout([
                uint("reserved", 1).doc("Reserved."),
                uint("ingress", 15).doc("Logical input port."),
                uint("egress", 16).doc("Logical output port."),
            ])),
            "Ports of a logical switch (Open Virtual Network).",
        ),
        opt(
            0,
            "other",
            OptionShape::Fields(&layout([
                bytes("data").doc("What it holds."),
                uint("class", 16).in_head(0).doc("Who defined it."),
                uint("type", 8)
                    .in_head(16)
                    .doc("Type in that class; types from 128 must be understood."),
            ])),
            "An unknown option.",
        )
        .masked(0),
    ],
    head: 4,
    kind: Slot::at(0, 24),
    len: Slot::at(27, 5),
    counts_head: false,
    unit: 4,
    align: 4,
    ..KIND_LENGTH
};
