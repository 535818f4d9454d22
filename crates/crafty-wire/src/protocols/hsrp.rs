//! Hot Standby Router Protocol, both versions.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "HSRP",
    title: "Hot Standby Router Protocol",
    spec: "RFC 2281; version 2: Cisco, as Wireshark and Scapy read it",
    about: "Routers agree on which of them answers for an address. Fields that differ in version 2 have names that end in 2.",
    example: "/IP(dst=224.0.0.2, ttl=1)/UDP(src=1985)/HSRP(state=active, address=192.0.2.254)",
    fields: &layout([
        named("version", 8, &[(0, "v1"), (1, "v2")]).doc("0 in version 1; in version 2, type 1 starts the state of a group."),
        named("op", 8, OPS).when(V1).doc("Kind of message."),
        named("state", 8, STATES).when(V1).default(16).doc("State of the sender."),
        uint("hello", 8).default(3).when(V1).doc("Seconds between hellos."),
        uint("hold", 8).default(10).when(V1).doc("Seconds that this is valid."),
        uint("priority", 8).default(120).when(V1).doc("The highest wins."),
        uint("group", 8).default(1).when(V1).doc("The group."),
        uint("reserved", 8).when(V1).doc("Reserved."),
        octets("auth", 8).default(0x6369_7363_6f00_0000).when(V1).doc("Password, in plain text; unset: `cisco`."),
        ip4("address").when(V1).doc("Address that the group answers for."),
        uint("len", 8).when(V2).default(40).doc("Length of the group state, in bytes."),
        uint("number", 8).when(V2).default(2).doc("Version."),
        named("op2", 8, OPS).when(V2).doc("Kind of message."),
        named("state2", 8, STATES2).when(V2).default(6).doc("State of the sender."),
        named("family", 8, &[(4, "ip4"), (6, "ip6")]).when(V2).default(4).doc("Kind of address that the group answers for."),
        uint("group2", 16).when(V2).default(1).doc("The group."),
        mac("id").when(V2).doc("Router."),
        uint("priority2", 32).when(V2).default(100).doc("The highest wins."),
        uint("hello2", 32).when(V2).default(3000).doc("Milliseconds between hellos."),
        uint("hold2", 32).when(V2).default(10_000).doc("Milliseconds that this is valid."),
        octets("virtual", 16).when(V2).doc("Address that the group answers for; an IPv4 address comes first in it."),
        options("tlvs", &TLVS).when(V2).extent(Extent::Layer).doc("Other TLVs."),
        ip4("address4").view().doc("The address in version 2, if it is IPv4; read only."),
        ip6("address6").view().doc("The address in version 2, if it is IPv6; read only."),
    ]),
    under: &[under("UDP", "dst", 1985), under("UDP", "dst", 2029)],
    accepts: Some(|octets| matches!(octets, [0, ..] | [1, 40, 2, ..])),
    views: Some(view),
    ..Layer::BLANK
}
.seal();

const V1: When = When::NotIn("version", &[1]);
const V2: When = When::In("version", &[1]);
const OPS: NameTable = &[(0, "hello"), (1, "coup"), (2, "resign"), (3, "advertise")];
const STATES2: NameTable = &[
    (0, "disabled"),
    (1, "initial"),
    (2, "learn"),
    (3, "listen"),
    (4, "speak"),
    (5, "standby"),
    (6, "active"),
];
const VERSION: Slot = LAYER.slot("version");
const FAMILY: Slot = LAYER.slot("family");
const VIRTUAL: core::ops::Range<usize> = 26..42;

fn view(message: &[u8], name: &str) -> Option<FieldValue> {
    let family = FAMILY
        .get(message)
        .filter(|_| VERSION.get(message) == Some(1))?;
    let octets: [u8; 16] = message.get(VIRTUAL)?.try_into().ok()?;
    match (name, family) {
        ("address4", 4) => Some(FieldValue::Uint((u128::from_be_bytes(octets) >> 96) as u64)),
        ("address6", 6) => Some(FieldValue::Wide(u128::from_be_bytes(octets))),
        _ => None,
    }
}

static TLVS: Tlv = Tlv {
    options: &[
        opt(
            2,
            "interfaces",
            OptionShape::Fields(&layout([
                uint("active", 16).doc("Groups in which it is active."),
                uint("passive", 16).doc("Groups in which it is not."),
            ])),
            "State of the interface.",
        ),
        opt(
            3,
            "password",
            OptionShape::Fields(&layout([octets("text", 8).doc("In plain text.")])),
            "Sender.",
        ),
        opt(
            4,
            "digest",
            OptionShape::Fields(&layout([
                uint("algorithm", 8).doc("1: MD5."),
                uint("pad", 8).doc("Unused."),
                uint("flags", 16).doc("Flags."),
                ip4("address").doc("Address of the sender."),
                uint("key", 32).doc("Key."),
                octets("digest", 16).doc("Digest."),
            ])),
            "Sender.",
        ),
    ],
    counts_head: false,
    ..KIND_LENGTH
};

const STATES: NameTable = &[
    (0, "initial"),
    (1, "learn"),
    (2, "listen"),
    (4, "speak"),
    (8, "standby"),
    (16, "active"),
];
