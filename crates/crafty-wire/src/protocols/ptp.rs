//! Precision Time Protocol, version 2.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "PTP",
    title: "Precision Time Protocol",
    spec: "IEEE 1588-2019 clause 13",
    about: "Sets clocks to within a microsecond. TLVs may follow the fixed part of a message.",
    example: "/Eth(dst=01:1b:19:00:00:00)/PTP(type=sync, seq=1)",
    fields: &layout([
        uint("sdo", 4).doc("Profile, its upper part."),
        named("type", 4, TYPES).doc("Kind of message."),
        uint("minor_version", 4).doc("Minor version."),
        uint("version", 4).default(2).doc("Version."),
        uint("len", 16)
            .computed(total_len())
            .doc("Length of the message, in bytes."),
        uint("domain", 8).doc("Domain: the set of clocks."),
        uint("minor_sdo", 8).doc("Profile, its lower part."),
        flags("flags", FLAGS).doc("Flags of the clock or the message."),
        uint("correction", 64)
            .signed()
            .doc("Time spent on the path, in units of 1/65536 ns."),
        uint("specific", 32).doc("For the use of the sender."),
        uint("clock", 64).doc("Clock that sent the message."),
        uint("port", 16).default(1).doc("Its port."),
        uint("seq", 16).modular().doc("Number of the message."),
        uint("control", 8).doc("Kind of message, as in version 1."),
        uint("interval", 8)
            .signed()
            .default(0x7f)
            .doc("Interval of such messages: exponent of 2, in seconds."),
        uint("seconds", 48)
            .when(When::In("type", TIMED))
            .doc("When: seconds."),
        uint("nanoseconds", 32)
            .when(When::In("type", TIMED))
            .doc("When: nanoseconds."),
        octets("reserved", 10)
            .when(When::In("type", &[2]))
            .doc("Reserved."),
        uint("requesting_clock", 64)
            .when(When::In("type", ANSWERS))
            .doc("Clock that asked."),
        uint("requesting_port", 16)
            .when(When::In("type", ANSWERS))
            .doc("Its port."),
        uint("utc_offset", 16)
            .signed()
            .when(When::In("type", ANNOUNCE))
            .default(37)
            .doc("Seconds between TAI and UTC."),
        uint("reserved2", 8)
            .when(When::In("type", ANNOUNCE))
            .doc("Reserved."),
        uint("priority1", 8)
            .when(When::In("type", ANNOUNCE))
            .default(128)
            .doc("The lowest wins."),
        uint("class", 8)
            .when(When::In("type", ANNOUNCE))
            .default(248)
            .doc("Kind of the grandmaster clock."),
        uint("accuracy", 8)
            .when(When::In("type", ANNOUNCE))
            .default(0xfe)
            .doc("Its accuracy."),
        uint("variance", 16)
            .when(When::In("type", ANNOUNCE))
            .doc("Its variance."),
        uint("priority2", 8)
            .when(When::In("type", ANNOUNCE))
            .default(128)
            .doc("The lowest wins, among equals."),
        uint("grandmaster", 64)
            .when(When::In("type", ANNOUNCE))
            .doc("Identifier of the clock."),
        uint("steps", 16)
            .when(When::In("type", ANNOUNCE))
            .doc("Clocks between it and the sender."),
        named("source", 8, SOURCES)
            .when(When::In("type", ANNOUNCE))
            .default(0xa0)
            .doc("Source of its time."),
        options("suffix", &TLVS)
            .extent(Extent::Layer)
            .doc("TLVs after the fixed part."),
    ]),
    under: &[
        under("Eth", "type", 0x88f7),
        under("UDP", "dst", 319),
        under("UDP", "dst", 320),
    ],
    accepts: Some(|octets| octets.get(1).is_some_and(|octet| octet & 15 == 2)),
    body: Some(all_padding),
    ..Layer::BLANK
}
.seal();

/// What may be behind a message (IEEE 1588 §14).
static TLVS: Tlv = Tlv {
    options: &[
        opt(
            3,
            "organization",
            OptionShape::Fields(&layout([
                uint("oui", 24).doc("Who defined it."),
                uint("subtype", 24).doc("Subtype."),
                bytes("data").doc("What it holds."),
            ])),
            "What an organization defined.",
        ),
        opt(
            8,
            "path_trace",
            OptionShape::Repeat(&[], &layout([uint("clock", 64).doc("A clock.")])),
            "Clocks on the path.",
        ),
        opt(
            0,
            "other",
            OptionShape::Fields(&layout([
                bytes("data").doc("What it holds."),
                uint("type", 16).in_head(0).doc("Kind."),
            ])),
            "An unknown TLV.",
        )
        .masked(0),
    ],
    head: 4,
    kind: Slot::at(0, 16),
    len: Slot::at(16, 16),
    counts_head: false,
    ..KIND_LENGTH
};

const TIMED: &[u64] = &[0, 1, 2, 3, 8, 9, 10, 11];
const ANSWERS: &[u64] = &[3, 9, 10];
const ANNOUNCE: &[u64] = &[11];
const TYPES: NameTable = &[
    (0, "sync"),
    (1, "delay_request"),
    (2, "peer_delay_request"),
    (3, "peer_delay_response"),
    (8, "follow_up"),
    (9, "delay_response"),
    (10, "peer_delay_follow_up"),
    (11, "announce"),
    (12, "signaling"),
    (13, "management"),
];
const FLAGS: &[&str] = &[
    "x15",
    "profile2",
    "profile1",
    "x12",
    "x11",
    "unicast",
    "two_step",
    "alternate",
    "x7",
    "synchronization_uncertain",
    "frequency_traceable",
    "time_traceable",
    "tai",
    "utc_valid",
    "leap59",
    "leap61",
];
const SOURCES: NameTable = &[
    (0x10, "atomic"),
    (0x20, "gnss"),
    (0x30, "radio"),
    (0x40, "ptp"),
    (0x50, "ntp"),
    (0x60, "hand_set"),
    (0x90, "other"),
    (0xa0, "internal"),
];
