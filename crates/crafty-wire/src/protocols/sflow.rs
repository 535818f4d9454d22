//! sFlow, version 5.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "SFlow",
    title: "sFlow",
    spec: "sFlow version 5 (sflow.org)",
    about: "A switch exports samples of its traffic. Records contain the start of a packet, how it was forwarded, or counters.",
    example: "/IP(dst=192.0.2.1)/UDP(src=50000)/SFlow(agent=192.0.2.7, seq=1)",
    fields: &layout([
        uint("version", 32).default(5).doc("Version."),
        named("agent_type", 32, &[(1, "ip4"), (2, "ip6")]).default(1).doc("Kind of address of the sender."),
        ip4("agent").when(When::NotIn("agent_type", IP6)).doc("Address of the sender."),
        ip6("agent6").when(When::In("agent_type", IP6)).doc("Address of the sender."),
        uint("sub_agent", 32).doc("Part of the sender."),
        uint("seq", 32).modular().doc("Number of the datagram."),
        uint("uptime", 32).doc("Milliseconds since the sender started."),
        uint("count", 32).doc("Number of samples that follow."),
        options("samples", &SAMPLES).extent(Extent::Layer).doc("Samples."),
    ]),
    under: &[under("UDP", "dst", 6343)],
    accepts: Some(|octets| octets.starts_with(&[0, 0, 0, 5])),
    ..Layer::BLANK
}
.seal();

const IP6: &[u64] = &[2];

/// Kind and length in four bytes each, the length without the head.
const XDR: Tlv = Tlv {
    head: 8,
    kind: Slot::at(0, 32),
    len: Slot::at(32, 32),
    counts_head: false,
    ..KIND_LENGTH
};

static SAMPLES: Tlv = Tlv {
    options: &[
        opt(
            1,
            "flow",
            OptionShape::Fields(&layout([
                uint("seq", 32).modular().doc("Number of the sample."),
                uint("source", 32)
                    .doc("Source of the sample: kind in the first byte, then its number."),
                uint("rate", 32).doc("One out of this many packets is sampled."),
                uint("pool", 32).doc("Packets that could have been sampled."),
                uint("drops", 32).doc("Samples lost."),
                uint("input", 32).doc("Input interface."),
                uint("output", 32).doc("Output interface."),
                uint("count", 32).doc("Records."),
                options("records", &FLOWS).doc("Records."),
            ])),
            "A packet.",
        ),
        opt(
            2,
            "counters",
            OptionShape::Fields(&layout([
                uint("seq", 32).modular().doc("Number of the sample."),
                uint("source", 32)
                    .doc("Source of the sample: kind in the first byte, then its number."),
                uint("count", 32).doc("Records."),
                options("records", &COUNTERS).doc("Records."),
            ])),
            "Counters of an interface.",
        ),
        opt(
            3,
            "wide_flow",
            OptionShape::Fields(&layout([
                uint("seq", 32).modular().doc("Number of the sample."),
                uint("source_type", 32).doc("Kind of source."),
                uint("source", 32).doc("Number of that source."),
                uint("rate", 32).doc("One out of this many packets is sampled."),
                uint("pool", 32).doc("Packets that could have been sampled."),
                uint("drops", 32).doc("Samples lost."),
                uint("input_format", 32).doc("0 if the next value is an interface."),
                uint("input", 32).doc("Input interface."),
                uint("output_format", 32).doc("0 if the next value is an interface."),
                uint("output", 32).doc("Output interface."),
                uint("count", 32).doc("Records."),
                options("records", &FLOWS).doc("Records."),
            ])),
            "A packet, with room for large numbers.",
        ),
        opt(
            4,
            "wide_counters",
            OptionShape::Fields(&layout([
                uint("seq", 32).modular().doc("Number of the sample."),
                uint("source_type", 32).doc("Kind of source."),
                uint("source", 32).doc("Number of that source."),
                uint("count", 32).doc("Records."),
                options("records", &COUNTERS).doc("Records."),
            ])),
            "Counters, with room for large numbers.",
        ),
    ],
    ..XDR
};

static FLOWS: Tlv = Tlv {
    options: &[
        opt(
            1,
            "header",
            OptionShape::Fields(&layout([
                uint("protocol", 32).doc("1 Ethernet, 11 IPv4, 12 IPv6."),
                uint("frame_len", 32).doc("Bytes of the frame."),
                uint("stripped", 32).doc("Bytes removed from its end."),
                bytes("header")
                    .extent(Extent::Sized(4))
                    .doc("Its first bytes."),
                bytes("pad").doc("Padding to a multiple of four bytes."),
            ])),
            "The start of the packet.",
        ),
        opt(
            2,
            "ethernet",
            OptionShape::Fields(&layout([
                uint("frame_len", 32).doc("Bytes of the frame."),
                mac("src").doc("Source."),
                uint("pad", 16).doc("Padding to a multiple of four bytes."),
                mac("dst").doc("Destination."),
                uint("pad2", 16).doc("Padding to a multiple of four bytes."),
                uint("type", 32).doc("What it carries."),
            ])),
            "An Ethernet frame.",
        ),
        opt(
            3,
            "ip4",
            OptionShape::Fields(&layout([
                uint("len", 32).doc("Bytes of the packet."),
                uint("proto", 32).doc("What it carries."),
                ip4("src").doc("Source."),
                ip4("dst").doc("Destination."),
                uint("src_port", 32).doc("Source port."),
                uint("dst_port", 32).doc("Destination port."),
                uint("tcp_flags", 32).doc("Flags of TCP."),
                uint("tos", 32).doc("Type of service."),
            ])),
            "An IPv4 packet.",
        ),
        opt(
            4,
            "ip6",
            OptionShape::Fields(&layout([
                uint("len", 32).doc("Bytes of the packet."),
                uint("proto", 32).doc("What it carries."),
                ip6("src").doc("Source."),
                ip6("dst").doc("Destination."),
                uint("src_port", 32).doc("Source port."),
                uint("dst_port", 32).doc("Destination port."),
                uint("tcp_flags", 32).doc("Flags of TCP."),
                uint("priority", 32).doc("Traffic class."),
            ])),
            "An IPv6 packet.",
        ),
        opt(
            1001,
            "switch",
            OptionShape::Fields(&layout([
                uint("src_vlan", 32).doc("Incoming VLAN."),
                uint("src_priority", 32).doc("Its priority."),
                uint("dst_vlan", 32).doc("Outgoing VLAN."),
                uint("dst_priority", 32).doc("Its priority."),
            ])),
            "What the switch did.",
        ),
        opt(
            1002,
            "router",
            OptionShape::Fields(&layout([
                ip4("next_hop").doc("Next router."),
                uint("src_mask", 32).doc("Bits of the source's prefix."),
                uint("dst_mask", 32).doc("Bits of the destination's prefix."),
            ])),
            "What the router did.",
        )
        .begins(&[0, 0, 0, 1]),
        opt(
            1002,
            "router6",
            OptionShape::Fields(&layout([
                ip6("next_hop").doc("Next router."),
                uint("src_mask", 32).doc("Bits of the source's prefix."),
                uint("dst_mask", 32).doc("Bits of the destination's prefix."),
            ])),
            "What the router did.",
        )
        .begins(&[0, 0, 0, 2]),
        OTHER,
    ],
    ..XDR
};

const OTHER: OptionRow = opt(
    0,
    "other",
    OptionShape::Fields(&layout([
        bytes("data").doc("What it holds."),
        uint("format", 32)
            .in_head(0)
            .doc("Enterprise in 20 bits, and its format."),
    ])),
    "An unknown record.",
)
.masked(0);

static COUNTERS: Tlv = Tlv {
    options: &[
        opt(
            1,
            "interface",
            OptionShape::Fields(&layout([
                uint("index", 32).doc("Interface."),
                uint("type", 32).doc("Kind (ifType)."),
                uint("speed", 64).doc("Bits per second."),
                uint("direction", 32).doc("1 full duplex, 2 half duplex."),
                uint("status", 32).doc("Bit 0: enabled, bit 1: up."),
                uint("in_octets", 64).doc("Bytes received."),
                uint("in_unicast", 32).doc("Unicast packets."),
                uint("in_multicast", 32).doc("Multicast packets."),
                uint("in_broadcast", 32).doc("Broadcast packets."),
                uint("in_discards", 32).doc("Packets dropped for lack of buffers."),
                uint("in_errors", 32).doc("Packets with errors."),
                uint("in_unknown", 32).doc("Packets of unknown protocols."),
                uint("out_octets", 64).doc("Bytes sent."),
                uint("out_unicast", 32).doc("Unicast packets."),
                uint("out_multicast", 32).doc("Multicast packets."),
                uint("out_broadcast", 32).doc("Broadcast packets."),
                uint("out_discards", 32).doc("Packets dropped for lack of buffers."),
                uint("out_errors", 32).doc("Packets that could not be sent."),
                uint("promiscuous", 32).doc("1 in promiscuous mode."),
            ])),
            "Counters of any interface.",
        ),
        opt(
            2,
            "ethernet",
            OptionShape::Fields(&layout([
                uint("alignment_errors", 32).doc("Frames that are not a whole number of bytes."),
                uint("fcs_errors", 32).doc("Frames with a wrong checksum."),
                uint("single_collisions", 32).doc("Frames sent after one collision."),
                uint("multiple_collisions", 32).doc("Frames sent after several."),
                uint("sqe_errors", 32).doc("Signal quality errors."),
                uint("deferred", 32).doc("Deferred frames."),
                uint("late_collisions", 32).doc("Late collisions."),
                uint("excessive_collisions", 32).doc("Frames dropped after too many collisions."),
                uint("mac_transmit_errors", 32).doc("Other errors in sending."),
                uint("carrier_errors", 32).doc("Carrier losses."),
                uint("too_long", 32).doc("Frames too long."),
                uint("mac_receive_errors", 32).doc("Other errors in receiving."),
                uint("symbol_errors", 32).doc("Symbol errors."),
            ])),
            "Counters of an Ethernet interface.",
        ),
        opt(
            5,
            "vlan",
            OptionShape::Fields(&layout([
                uint("id", 32).doc("VLAN."),
                uint("octets", 64).doc("Bytes."),
                uint("unicast", 32).doc("Unicast packets."),
                uint("multicast", 32).doc("Multicast packets."),
                uint("broadcast", 32).doc("Broadcast packets."),
                uint("discards", 32).doc("Dropped packets."),
            ])),
            "Counters of a VLAN.",
        ),
        opt(
            1001,
            "processor",
            OptionShape::Fields(&layout([
                uint("cpu_5s", 32).doc("Load over 5 s, in hundredths of a percent."),
                uint("cpu_1m", 32).doc("Load over a minute."),
                uint("cpu_5m", 32).doc("Load over five minutes."),
                uint("memory", 64).doc("Bytes of memory."),
                uint("free_memory", 64).doc("Bytes of it that are free."),
            ])),
            "The processor of the switch.",
        ),
        OTHER,
    ],
    ..XDR
};
