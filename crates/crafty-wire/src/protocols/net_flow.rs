//! NetFlow 5 and 9, and IPFIX. Records of templates are octets: what they hold is told elsewhere.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "NetFlow",
    title: "NetFlow and IPFIX",
    spec: "RFC 3954, RFC 7011",
    about: "A router tells which flows it saw.",
    example: "/IP(dst=192.0.2.1)/UDP(src=50000)/NetFlow(version=9, count=0, seq=1)",
    fields: &layout([
        named("version", 16, &[(5, "v5"), (9, "v9"), (10, "ipfix")]).default(5).doc("Version."),
        uint("count", 16).when(When::NotIn("version", IPFIX)).doc("Records that follow."),
        uint("len", 16).when(When::In("version", IPFIX)).computed(total_len()).doc("Length of the message, in octets; IPFIX."),
        uint("uptime", 32).when(When::NotIn("version", IPFIX)).doc("Milliseconds since the router started."),
        uint("secs", 32).doc("Seconds since 1970."),
        uint("nsecs", 32).when(When::In("version", V5)).doc("Nanoseconds behind `secs`; version 5."),
        uint("seq", 32).modular().doc("Number of the flow or of the message."),
        uint("source", 32).when(When::NotIn("version", V5)).doc("Which part of the router; observation domain in IPFIX."),
        uint("engine_type", 8).when(When::In("version", V5)).doc("Kind of engine; version 5."),
        uint("engine_id", 8).when(When::In("version", V5)).doc("Which engine; version 5."),
        uint("sampling", 16).when(When::In("version", V5)).doc("Mode and interval of sampling; version 5."),
        options("records", &RECORDS).when(When::In("version", V5)).extent(Extent::Layer).doc("The flows; version 5."),
        options("sets", &SETS).when(When::NotIn("version", V5)).extent(Extent::Layer).doc("Templates, and records as `raw`."),
    ]),
    under: &[under("UDP", "dst", 2055), under("UDP", "dst", 4739)],
    accepts: Some(|octets| matches!(octets, [0, 5 | 9 | 10, ..])),
    ..Layer::BLANK
}
.seal();

const V5: &[u64] = &[5];
const IPFIX: &[u64] = &[10];

static RECORDS: Tlv = records(48, &[opt(0, "flow", Shape::Fields(&layout([
    ip4("src").doc("Source."),
    ip4("dst").doc("Destination."),
    ip4("next_hop").doc("Next router."),
    uint("input", 16).doc("Interface that it came by."),
    uint("output", 16).doc("Interface that it left by."),
    uint("packets", 32).doc("Packets."),
    uint("octets", 32).doc("Octets."),
    uint("first", 32).doc("Uptime at the first packet."),
    uint("last", 32).doc("Uptime at the last packet."),
    uint("src_port", 16).doc("Source port."),
    uint("dst_port", 16).doc("Destination port."),
    uint("pad", 8).doc("Unused."),
    uint("tcp_flags", 8).doc("All flags seen."),
    uint("proto", 8).doc("Protocol."),
    uint("tos", 8).doc("Type of service."),
    uint("src_as", 16).doc("Network of the source."),
    uint("dst_as", 16).doc("Network of the destination."),
    uint("src_mask", 8).doc("Bits of the source's prefix."),
    uint("dst_mask", 8).doc("Bits of the destination's prefix."),
    uint("pad2", 16).doc("Unused."),
])), "A flow.")]);

static SETS: Tlv = Tlv {
    options: &[
        opt(0, "templates", DATA, "Templates of version 9."),
        opt(1, "options_templates", DATA, "Templates of options of version 9."),
        opt(2, "ipfix_templates", DATA, "Templates of IPFIX."),
        opt(3, "ipfix_options_templates", DATA, "Templates of options of IPFIX."),
    ],
    head: 4,
    kind: Slot::at(0, 16),
    len: Slot::at(16, 16),
    ..KIND_LENGTH
};

const DATA: Shape = Shape::Fields(&layout([bytes("data").doc("Templates.")]));
