//! Protocol Independent Multicast, version 2.

mod groups;

use crate::table::*;
use groups::{ASSERT, JOINS, STOP};

/// The layer.
pub static LAYER: Layer = Layer {
    name: "PIM",
    title: "Protocol Independent Multicast",
    spec: "RFC 7761",
    about: "Routers agree on trees for multicast. Bootstrap messages and candidates stay bytes.",
    example: "/IP(dst=224.0.0.13, ttl=1)/PIM(type=hello, options=[holdtime(105), dr_priority(1)])",
    fields: &layout([
        uint("version", 4).default(2).doc("Version."),
        named("type", 4, TYPES).doc("Kind of message."),
        uint("reserved", 8).doc("Reserved."),
        uint("checksum", 16)
            .computed(Auto::Checksum(Checksum { case: Some(covered), ..INTERNET }))
            .doc("Checksum of the message; in a register, without the packet in it; over IPv6, with the pseudo-header."),
        options("options", &OPTIONS).when(When::In("type", &[0])).extent(Extent::Layer).doc("Options of the router."),
        spelt("joins", &JOINS)
            .when(When::In("type", &[3, 6, 7]))
            .doc("Neighbour, `hold=` seconds, then after each `;` a group with its `join=` and `prune=` sources (marks `s`, `w`, `r`)."),
        spelt("stopped", &STOP).when(When::In("type", &[2])).doc("Group and source."),
        spelt("asserted", &ASSERT).when(When::In("type", &[5])).doc("Group, source, `rpt` on the shared tree, `preference=`, `metric=`."),
        uint("border", 1).when(When::In("type", &[1])).doc("The sender is a border router."),
        uint("null", 1).when(When::In("type", &[1])).doc("The packet in it is empty."),
        uint("reserved2", 30).when(When::In("type", &[1])).doc("Reserved."),
    ]),
    under: &[under("IP", "proto", 103)],
    next: NextLayer::Peek(next),
    ..Layer::BLANK
}
.seal();

const TYPES: NameTable = &[
    (0, "hello"),
    (1, "register"),
    (2, "register_stop"),
    (3, "join_prune"),
    (4, "bootstrap"),
    (5, "assert"),
    (6, "graft"),
    (7, "graft_ack"),
    (8, "candidate_rp"),
];
const TYPE: Slot = LAYER.slot("type");
const REGISTER: u64 = 1;

static OPTIONS: Tlv = Tlv {
    options: &[
        opt(
            1,
            "holdtime",
            OptionShape::Fields(&layout([uint("seconds", 16).doc("Seconds.")])),
            "How long this is valid.",
        ),
        opt(
            2,
            "lan_prune_delay",
            OptionShape::Fields(&layout([
                uint("tracking", 1).doc("The sender can track joins."),
                uint("delay", 15).doc("Propagation delay in ms."),
                uint("override", 16).doc("Override interval in ms."),
            ])),
            "Delays on this link.",
        ),
        opt(
            19,
            "dr_priority",
            OptionShape::Fields(&layout([uint("priority", 32).doc("Priority.")])),
            "Priority in the election of the designated router.",
        ),
        opt(
            20,
            "generation_id",
            OptionShape::Fields(&layout([uint("id", 32).doc("Random number.")])),
            "Changes when the router restarts.",
        ),
        opt(
            24,
            "addresses",
            OptionShape::Fields(&layout([bytes("data").doc("Encoded addresses.")])),
            "Other addresses of the router.",
        ),
    ],
    head: 4,
    kind: Slot::at(0, 16),
    len: Slot::at(16, 16),
    counts_head: false,
    ..KIND_LENGTH
};

/// RFC 7761 §4.9: a register is covered up to the packet in it.
fn covered(header: &[u8], over_ip6: bool) -> ChecksumException {
    let register = TYPE.get(header) == Some(REGISTER);
    ChecksumException {
        pseudo: over_ip6,
        either: false,
        octets: if register { 8 } else { usize::MAX },
    }
}

fn next(header: &[u8], payload: &[u8]) -> Option<&'static Layer> {
    match (TYPE.get(header)?, payload.first()? >> 4) {
        (REGISTER, 4) => Some(&super::ip::LAYER),
        (REGISTER, 6) => Some(&super::ip6::LAYER),
        _ => None,
    }
}
