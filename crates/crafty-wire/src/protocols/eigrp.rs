//! Enhanced Interior Gateway Routing Protocol.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "EIGRP",
    title: "Enhanced Interior Gateway Routing Protocol",
    spec: "RFC 7868",
    about: "Routers of one network exchange routes. Routes are bytes.",
    example: "/IP(dst=224.0.0.10, ttl=2)/EIGRP(opcode=hello, as=100, tlvs=[parameters(1, 0, 1, 0, 0, 0, 15)])",
    fields: &layout([
        uint("version", 8).default(2).doc("Version."),
        named("opcode", 8, OPCODES).default(5).doc("Kind of packet."),
        uint("checksum", 16)
            .computed(Auto::Checksum(INTERNET))
            .doc("Checksum of the packet."),
        flags("flags", FLAGS).doc("State of the exchange."),
        uint("seq", 32).doc("Number of the packet; 0 asks for no acknowledgement."),
        uint("ack", 32).doc("Number of the packet that is acknowledged."),
        uint("vrid", 16).doc("Virtual router."),
        uint("as", 16).default(1).doc("Autonomous system."),
        options("tlvs", &TLVS)
            .extent(Extent::Layer)
            .doc("Contents of the packet."),
    ]),
    under: &[under("IP", "proto", 88)],
    ..Layer::BLANK
}
.seal();

const OPCODES: NameTable = &[
    (1, "update"),
    (2, "request"),
    (3, "query"),
    (4, "reply"),
    (5, "hello"),
    (10, "sia_query"),
    (11, "sia_reply"),
];
const FLAGS: &[&str] = &[
    "x31",
    "x30",
    "x29",
    "x28",
    "x27",
    "x26",
    "x25",
    "x24",
    "x23",
    "x22",
    "x21",
    "x20",
    "x19",
    "x18",
    "x17",
    "x16",
    "x15",
    "x14",
    "x13",
    "x12",
    "x11",
    "x10",
    "x9",
    "x8",
    "x7",
    "x6",
    "x5",
    "x4",
    "end_of_table",
    "restart",
    "conditional_receive",
    "init",
];

static TLVS: Tlv = Tlv {
    options: &[
        opt(
            1,
            "parameters",
            OptionShape::Fields(&layout([
                uint("k1", 8).doc("Weight of the bandwidth."),
                uint("k2", 8).doc("Weight of the load."),
                uint("k3", 8).doc("Weight of the delay."),
                uint("k4", 8).doc("Weight of the reliability."),
                uint("k5", 8).doc("Weight of the reliability, as divisor."),
                uint("k6", 8).doc("Weight of energy and jitter."),
                uint("hold", 16).doc("Seconds of silence after which the router counts as down."),
            ])),
            "Weights of the metric, and the hold time.",
        ),
        opt(
            4,
            "software",
            OptionShape::Fields(&layout([
                uint("release", 16).doc("Release of the router's software."),
                uint("eigrp", 16).doc("Release of its EIGRP."),
            ])),
            "Versions of the software.",
        ),
        opt(
            0,
            "other",
            OptionShape::Fields(&layout([
                bytes("data").doc("What it holds."),
                uint("type", 16).in_head(0).doc("Kind."),
            ])),
            "A route, or an unknown TLV.",
        )
        .masked(0),
    ],
    head: 4,
    kind: Slot::at(0, 16),
    len: Slot::at(16, 16),
    ..KIND_LENGTH
};
