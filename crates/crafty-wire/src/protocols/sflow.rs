//! sFlow, version 5.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "SFlow",
    title: "sFlow",
    spec: "sFlow version 5 (sflow.org)",
    about: "A switch tells samples of what it saw. Records hold the beginning of a packet, what became of it, or counters.",
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
                uint("source", 32).doc("Where it was taken: kind in the first byte, then number."),
                uint("rate", 32).doc("One packet of so many is taken."),
                uint("pool", 32).doc("Packets that could have been taken."),
                uint("drops", 32).doc("Samples lost."),
                uint("input", 32).doc("Interface that it came by."),
                uint("output", 32).doc("Interface that it left by."),
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
                uint("source", 32).doc("Where it was taken: kind in the first byte, then number."),
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
                uint("source_type", 32).doc("Kind of place where it was taken."),
                uint("source", 32).doc("Number of that place."),
                uint("rate", 32).doc("One packet of so many is taken."),
                uint("pool", 32).doc("Packets that could have been taken."),
                uint("drops", 32).doc("Samples lost."),
                uint("input_format", 32).doc("0: the next one is an interface."),
                uint("input", 32).doc("Interface that it came by."),
                uint("output_format", 32).doc("0: the next one is an interface."),
                uint("output", 32).doc("Interface that it left by."),
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
                uint("source_type", 32).doc("Kind of place where it was taken."),
                uint("source", 32).doc("Number of that place."),
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
                uint("stripped", 32).doc("Bytes taken off its end."),
                bytes("header")
                    .extent(Extent::Sized(4))
                    .doc("Its first bytes."),
                bytes("pad").doc("Up to a word."),
            ])),
            "The beginning of the packet.",
        ),
        opt(
            2,
            "ethernet",
            OptionShape::Fields(&layout([
                uint("frame_len", 32).doc("Bytes of the frame."),
                mac("src").doc("Source."),
                uint("pad", 16).doc("Up to a word."),
                mac("dst").doc("Destination."),
                uint("pad2", 16).doc("Up to a word."),
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
                uint("src_vlan", 32).doc("VLAN that it came in."),
                uint("src_priority", 32).doc("Its priority."),
                uint("dst_vlan", 32).doc("VLAN that it left in."),
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
    "A record not known here.",
)
.masked(0);

static COUNTERS: Tlv = Tlv {
    options: &[
        opt(
            1,
            "interface",
            OptionShape::Fields(&layout([
                uint("index", 32).doc("Which interface."),
                uint("type", 32).doc("Kind (ifType)."),
                uint("speed", 64).doc("Bits a second."),
                uint("direction", 32).doc("1 both ways at once, 2 in turn."),
                uint("status", 32).doc("Bit 0: enabled, bit 1: up."),
                uint("in_octets", 64).doc("Bytes received."),
                uint("in_unicast", 32).doc("Packets to one."),
                uint("in_multicast", 32).doc("Packets to many."),
                uint("in_broadcast", 32).doc("Packets to all."),
                uint("in_discards", 32).doc("Packets thrown away for want of room."),
                uint("in_errors", 32).doc("Packets with errors."),
                uint("in_unknown", 32).doc("Packets of unknown protocols."),
                uint("out_octets", 64).doc("Bytes sent."),
                uint("out_unicast", 32).doc("Packets to one."),
                uint("out_multicast", 32).doc("Packets to many."),
                uint("out_broadcast", 32).doc("Packets to all."),
                uint("out_discards", 32).doc("Packets thrown away for want of room."),
                uint("out_errors", 32).doc("Packets that could not be sent."),
                uint("promiscuous", 32).doc("1: takes all frames."),
            ])),
            "Counters of any interface.",
        ),
        opt(
            2,
            "ethernet",
            OptionShape::Fields(&layout([
                uint("alignment_errors", 32).doc("Frames of no whole number of bytes."),
                uint("fcs_errors", 32).doc("Frames with a wrong checksum."),
                uint("single_collisions", 32).doc("Frames sent after one collision."),
                uint("multiple_collisions", 32).doc("Frames sent after several."),
                uint("sqe_errors", 32).doc("Signal quality errors."),
                uint("deferred", 32).doc("Frames that had to wait."),
                uint("late_collisions", 32).doc("Late collisions."),
                uint("excessive_collisions", 32).doc("Frames given up."),
                uint("mac_transmit_errors", 32).doc("Other errors in sending."),
                uint("carrier_errors", 32).doc("Losses of the carrier."),
                uint("too_long", 32).doc("Frames too long."),
                uint("mac_receive_errors", 32).doc("Other errors in receiving."),
                uint("symbol_errors", 32).doc("Wrong symbols."),
            ])),
            "Counters of an Ethernet interface.",
        ),
        opt(
            5,
            "vlan",
            OptionShape::Fields(&layout([
                uint("id", 32).doc("Which VLAN."),
                uint("octets", 64).doc("Bytes."),
                uint("unicast", 32).doc("Packets to one."),
                uint("multicast", 32).doc("Packets to many."),
                uint("broadcast", 32).doc("Packets to all."),
                uint("discards", 32).doc("Packets thrown away."),
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
