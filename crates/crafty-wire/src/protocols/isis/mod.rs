//! Intermediate System to Intermediate System.

mod reachability;

use crate::table::*;
use reachability::{REACH, REACH6};

/// The layer.
pub static LAYER: Layer = Layer {
    name: "ISIS",
    title: "Intermediate System to Intermediate System",
    spec: "ISO/IEC 10589, RFC 1195, RFC 5305",
    about: "Routers of one network exchange the state of their links.",
    example: "/Eth(dst=01:80:c2:00:00:15)/LLC/ISIS(type=l2_hello, source=#020000000001, tlvs=[protocols(0xcc)])",
    fields: &layout([
        uint("discriminator", 8).default(0x83).doc("Identifies IS-IS."),
        uint("header_len", 8).computed(Auto::Beside("type", HEADER_LENS)).doc("Number of bytes before the TLVs."),
        uint("version", 8).default(1).doc("Version."),
        uint("id_len", 8).doc("Length of a system identifier in bytes; 0 means six."),
        uint("reserved", 3).doc("Reserved."),
        named("type", 5, TYPES).default(15).doc("Kind of packet."),
        uint("version2", 8).default(1).doc("Version."),
        uint("reserved2", 8).doc("Reserved."),
        uint("max_areas", 8).doc("Maximum number of areas; 0 means three."),
        uint("circuit", 8).when(When::In("type", HELLOS)).default(3).doc("Levels of the link: 1, 2, or 3 for both."),
        octets("source", 6).when(When::In("type", HELLOS)).doc("System identifier of the sender."),
        uint("hold", 16).when(When::In("type", HELLOS)).default(30).doc("Seconds that this is valid."),
        uint("len", 16).computed(total_len()).doc("Length of the packet, in bytes."),
        uint("priority", 8).when(When::In("type", LAN)).default(64).doc("Priority in the election of the designated system."),
        octets("lan", 7).when(When::In("type", LAN)).doc("The LAN: its designated system and a number."),
        uint("local_circuit", 8).when(When::In("type", &[17])).doc("Number of the link at the sender."),
        uint("lifetime", 16).when(When::In("type", STATES)).default(1199).doc("Seconds that this is valid."),
        octets("lsp", 8).when(When::In("type", STATES)).doc("Link state: system, number and fragment."),
        uint("seq", 32).when(When::In("type", STATES)).doc("Sequence number."),
        uint("checksum", 16)
            .when(When::In("type", STATES))
            .computed(Auto::Checksum(Checksum { zero_is_none: true, algorithm: Algorithm::Custom(fletcher), ..INTERNET }))
            .doc("Checksum of the link state from `lsp` on."),
        flags("bits", &["partition", "error", "expense", "delay", "default", "overload", "type2", "type1"])
            .when(When::In("type", STATES))
            .doc("Flags of the system."),
        octets("source_circuit", 7).when(When::In("type", SUMMARIES)).doc("System identifier of the sender, and a number."),
        octets("first", 8).when(When::In("type", &[24, 25])).doc("First link state of the summary."),
        octets("last", 8).when(When::In("type", &[24, 25])).doc("Last link state of the summary."),
        options("tlvs", &TLVS).extent(Extent::Layer).doc("Contents."),
    ]),
    under: &[under("LLC", "dsap", 0xfe)],
    accepts: Some(|octets| octets.first() == Some(&0x83)),
    ..Layer::BLANK
}
.seal();

/// Bytes before the TLVs, by kind of packet (ISO/IEC 10589 clause 9).
const HEADER_LENS: &[(u64, u64)] = &[
    (15, 27),
    (16, 27),
    (17, 20),
    (18, 27),
    (20, 27),
    (24, 33),
    (25, 33),
    (26, 17),
    (27, 17),
];
const LAN: &[u64] = &[15, 16];
const HELLOS: &[u64] = &[15, 16, 17];
const STATES: &[u64] = &[18, 20];
const SUMMARIES: &[u64] = &[24, 25, 26, 27];
const TYPES: NameTable = &[
    (15, "l1_hello"),
    (16, "l2_hello"),
    (17, "p2p_hello"),
    (18, "l1_state"),
    (20, "l2_state"),
    (24, "l1_complete"),
    (25, "l2_complete"),
    (26, "l1_partial"),
    (27, "l2_partial"),
];

static TLVS: Tlv = Tlv {
    options: &[
        opt(
            1,
            "areas",
            OptionShape::Repeat(
                &[],
                &layout([bytes("area").extent(Extent::Sized(1)).doc("An area.")]),
            ),
            "Areas of the system.",
        ),
        opt(
            2,
            "neighbors",
            OptionShape::Repeat(
                &layout([uint("virtual", 8).doc("1: a virtual link.")]),
                &layout([
                    METRIC,
                    DELAY,
                    EXPENSE,
                    ERROR,
                    octets("system", 7).doc("System identifier."),
                ]),
            ),
            "Systems that it reaches, with narrow metrics.",
        ),
        opt(
            6,
            "lan_neighbors",
            OptionShape::Repeat(&[], &layout([mac("address").doc("Address.")])),
            "Neighbours seen on the LAN.",
        ),
        opt(8, "padding", DATA, "Padding."),
        opt(
            9,
            "states",
            OptionShape::Repeat(
                &[],
                &layout([
                    uint("lifetime", 16).doc("Valid lifetime in seconds."),
                    octets("lsp", 8).doc("Link state."),
                    uint("seq", 32).doc("Sequence number."),
                    uint("checksum", 16).doc("Its checksum."),
                ]),
            ),
            "Link states.",
        ),
        opt(
            10,
            "auth",
            OptionShape::Fields(&layout([
                uint("type", 8).doc("1 password, 54 digest."),
                bytes("data").doc("Password or digest."),
            ])),
            "Sender.",
        ),
        opt(
            22,
            "wide_neighbors",
            OptionShape::Repeat(
                &[],
                &layout([
                    octets("system", 7).doc("System identifier."),
                    uint("metric", 24).doc("Cost."),
                    options("sub", &LINK)
                        .extent(Extent::Sized(1))
                        .doc("Attributes of the link."),
                ]),
            ),
            "Systems that it reaches, with wide metrics (RFC 5305).",
        ),
        opt(
            128,
            "ip_internal",
            NARROW,
            "Networks that it reaches, with narrow metrics.",
        ),
        opt(
            129,
            "protocols",
            OptionShape::Repeat(&[], &layout([uint("id", 8).doc("0xcc IPv4, 0x8e IPv6.")])),
            "Network protocols.",
        ),
        opt(130, "ip_external", NARROW, "External networks."),
        opt(
            132,
            "addresses",
            OptionShape::Repeat(&[], &layout([ip4("address").doc("Address.")])),
            "IPv4 addresses.",
        ),
        opt(
            134,
            "router_id",
            OptionShape::Fields(&layout([ip4("address").doc("Address.")])),
            "Router for traffic engineering.",
        ),
        opt(
            135,
            "wide_ip",
            OptionShape::Fields(&layout([
                spelt("reached", &REACH).doc("Networks, such as `10.1.0.0/16,metric=10`.")
            ])),
            "Networks that it reaches, with wide metrics (RFC 5305).",
        ),
        opt(
            137,
            "hostname",
            OptionShape::Fields(&layout([text("text").doc("Name.")])),
            "Name of the system (RFC 5301).",
        ),
        opt(
            232,
            "addresses6",
            OptionShape::Repeat(&[], &layout([ip6("address").doc("Address.")])),
            "IPv6 addresses (RFC 5308).",
        ),
        opt(
            236,
            "ip6",
            OptionShape::Fields(&layout([
                spelt("reached", &REACH6).doc("Networks, such as `2001:db8::/32,metric=10`.")
            ])),
            "IPv6 networks that it reaches (RFC 5308).",
        ),
        opt(
            222,
            "mt_neighbors",
            OptionShape::Repeat(
                &layout([MT]),
                &layout([
                    octets("system", 7).doc("System identifier."),
                    uint("metric", 24).doc("Cost."),
                    options("sub", &LINK)
                        .extent(Extent::Sized(1))
                        .doc("Attributes of the link."),
                ]),
            ),
            "Systems that it reaches in a topology (RFC 5120).",
        ),
        opt(
            229,
            "topologies",
            OptionShape::Repeat(
                &[],
                &layout([uint("id", 16).doc("0 IPv4, 2 IPv6; 0x8000 overload, 0x4000 attached.")]),
            ),
            "Topologies (RFC 5120).",
        ),
        opt(
            235,
            "mt_ip",
            OptionShape::Fields(&layout([MT, spelt("reached", &REACH).doc("Networks.")])),
            "IPv4 networks in a topology (RFC 5120).",
        ),
        opt(
            237,
            "mt_ip6",
            OptionShape::Fields(&layout([MT, spelt("reached", &REACH6).doc("Networks.")])),
            "IPv6 networks in a topology (RFC 5120).",
        ),
        opt(
            240,
            "p2p_state",
            OptionShape::Fields(&layout([
                uint("state", 8).doc("0 up, 1 initializing, 2 down."),
                bytes("data").doc("Circuits and neighbour."),
            ])),
            "State of a link between two systems (RFC 5303).",
        ),
        opt(
            242,
            "capability",
            OptionShape::Fields(&layout([
                ip4("router").doc("Identifier of the router."),
                uint("flags", 8).doc("1: for all areas, 2: leaked to lower levels."),
                options("sub", &CAPABILITIES).doc("Capabilities."),
            ])),
            "Capabilities of the router (RFC 7981).",
        ),
    ],
    counts_head: false,
    ..KIND_LENGTH
};

const DATA: OptionShape = OptionShape::Fields(&layout([bytes("data").doc("What it holds.")]));
const MT: Field = uint("topology", 16).doc("0 IPv4, 2 IPv6.");
const METRIC: Field = uint("metric", 8).doc("Cost; plus 64 for external metrics.");
const DELAY: Field = uint("delay", 8)
    .default(0x80)
    .doc("Cost by delay; 128: none.");
const EXPENSE: Field = uint("expense", 8)
    .default(0x80)
    .doc("Cost by expense; 128: none.");
const ERROR: Field = uint("error", 8)
    .default(0x80)
    .doc("Cost by errors; 128: none.");
const NARROW: OptionShape = OptionShape::Repeat(
    &[],
    &layout([
        METRIC,
        DELAY,
        EXPENSE,
        ERROR,
        ip4("network").doc("Network."),
        ip4("mask").doc("Its mask."),
    ]),
);
const PART: OptionRow = opt(
    0,
    "part",
    OptionShape::Fields(&layout([
        bytes("data").doc("What it holds."),
        uint("code", 8).in_head(0).doc("Kind."),
    ])),
    "An unknown entry.",
)
.masked(0);

/// What is reported about a link (RFC 5305 §3, RFC 8667).
static LINK: Tlv = Tlv {
    options: &[
        opt(
            3,
            "group",
            OptionShape::Fields(&layout([uint("bits", 32).doc("Groups.")])),
            "Administrative groups.",
        ),
        opt(
            4,
            "ids",
            OptionShape::Fields(&layout([
                uint("local", 32).doc("Local number."),
                uint("remote", 32).doc("Remote number."),
            ])),
            "Numbers of a link without addresses (RFC 5307).",
        ),
        opt(
            6,
            "address",
            OptionShape::Fields(&layout([ip4("address").doc("Address.")])),
            "Own address on the link.",
        ),
        opt(
            8,
            "neighbor",
            OptionShape::Fields(&layout([ip4("address").doc("Address.")])),
            "The neighbour's address.",
        ),
        opt(
            18,
            "te_metric",
            OptionShape::Fields(&layout([uint("metric", 24).doc("Cost.")])),
            "Cost for traffic engineering.",
        ),
        PART,
    ],
    counts_head: false,
    ..KIND_LENGTH
};
static CAPABILITIES: Tlv = Tlv {
    options: &[PART],
    counts_head: false,
    ..KIND_LENGTH
};

/// First byte that the checksum of a link state covers: the lifetime before it changes on the way.
const COVERED: usize = 12;

/// ISO/IEC 8473 annex C: two sums modulo 255, of which the two bytes of the checksum make zero.
fn fletcher(packet: &[u8], at: usize) -> u64 {
    let (mut c0, mut c1) = (0i64, 0i64);
    for (i, octet) in packet.iter().enumerate().skip(COVERED) {
        c0 =
            (c0 + if i == at || i == at + 1 {
                0
            } else {
                i64::from(*octet)
            }) % 255;
        c1 = (c1 + c0) % 255;
    }
    let behind = packet.len() as i64 - at as i64 - 1;
    let x = (behind * c0 - c1).rem_euclid(255);
    let y = (c1 - (behind + 1) * c0).rem_euclid(255);
    let nonzero = |octet: i64| if octet == 0 { 255 } else { octet as u64 };
    nonzero(x) << 8 | nonzero(y)
}
