//! sFlow, version 5.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "SFlow",
    title: "sFlow",
    spec: "sFlow version 5 (sflow.org)",
    about: "A switch tells samples of what it saw. Records inside samples are octets.",
    example: "/IP(dst=192.0.2.1)/UDP(src=50000)/SFlow(agent=192.0.2.7, seq=1)",
    fields: &layout([
        uint("version", 32).default(5).doc("Version."),
        named("agent_type", 32, &[(1, "ip4"), (2, "ip6")]).default(1).doc("Kind of address of the sender."),
        ip4("agent").when(When::NotIn("agent_type", IP6)).doc("Address of the sender."),
        ip6("agent6").when(When::In("agent_type", IP6)).doc("Address of the sender."),
        uint("sub_agent", 32).doc("Which part of the sender."),
        uint("seq", 32).modular().doc("Number of the datagram."),
        uint("uptime", 32).doc("Milliseconds since the sender started."),
        uint("count", 32).doc("Samples that follow."),
        options("samples", &SAMPLES).extent(Extent::Layer).doc("Samples."),
    ]),
    under: &[under("UDP", "dst", 6343)],
    accepts: Some(|octets| octets.starts_with(&[0, 0, 0, 5])),
    ..Layer::BLANK
}
.seal();

const IP6: &[u64] = &[2];

static SAMPLES: Tlv = Tlv {
    options: &[
        opt(1, "flow", Shape::Fields(&layout([
            uint("seq", 32).modular().doc("Number of the sample."),
            uint("source", 32).doc("Where it was taken."),
            uint("rate", 32).doc("One packet of so many is taken."),
            uint("pool", 32).doc("Packets that could have been taken."),
            uint("drops", 32).doc("Samples lost."),
            uint("input", 32).doc("Interface that it came by."),
            uint("output", 32).doc("Interface that it left by."),
            uint("count", 32).doc("Records."),
            bytes("records").doc("Records."),
        ])), "A packet."),
        opt(2, "counters", Shape::Fields(&layout([
            uint("seq", 32).modular().doc("Number of the sample."),
            uint("source", 32).doc("Where it was taken."),
            uint("count", 32).doc("Records."),
            bytes("records").doc("Records."),
        ])), "Counters of an interface."),
    ],
    head: 8,
    kind: Slot::at(0, 32),
    len: Slot::at(32, 32),
    counts_head: false,
    ..KIND_LENGTH
};
