//! Open Shortest Path First for IPv6 (version 3).

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "OSPF3",
    title: "Open Shortest Path First for IPv6",
    spec: "RFC 5340",
    about: "Routers of one network tell each other their links. Link state headers are lists, what link states hold is octets.",
    example: "/IP6(dst=ff02::5, ttl=1)/OSPF3(type=hello, router=192.0.2.7)",
    fields: &layout([
        uint("version", 8).default(3).doc("Version."),
        named("type", 8, TYPES).default(1).doc("Kind of packet."),
        uint("len", 16).computed(total_len()).doc("Length of the packet, in octets."),
        ip4("router").doc("Identifier of the sender."),
        ip4("area").doc("Area."),
        uint("checksum", 16)
            .computed(Auto::Checksum(Checksum { pseudo: true, ..INTERNET }))
            .doc("Checksum of pseudo-header and packet."),
        uint("instance", 8).doc("Which of several on one link."),
        uint("reserved", 8).doc("Reserved."),
        uint("interface", 32).when(When::In("type", HELLO)).doc("Number of the sender's interface."),
        uint("priority", 8).when(When::In("type", HELLO)).default(1).doc("Who becomes designated router."),
        uint("options", 24).when(When::In("type", HELLO)).default(0x13).doc("What the router can do."),
        uint("hello", 16).when(When::In("type", HELLO)).default(10).doc("Seconds between hellos."),
        uint("dead", 16).when(When::In("type", HELLO)).default(40).doc("Seconds of silence after which the router is gone."),
        ip4("dr").when(When::In("type", HELLO)).doc("Designated router."),
        ip4("bdr").when(When::In("type", HELLO)).doc("Backup of it."),
        options("neighbors", &NEIGHBORS).when(When::In("type", HELLO)).extent(Extent::Layer).doc("Routers heard."),
        uint("reserved2", 8).when(When::In("type", &[2])).doc("Reserved."),
        uint("options2", 24).when(When::In("type", &[2])).doc("What the router can do."),
        uint("mtu", 16).when(When::In("type", &[2])).doc("Largest packet of the interface."),
        uint("description", 16).when(When::In("type", &[2])).doc("Place in the exchange: 4 init, 2 more, 1 master."),
        uint("seq", 32).when(When::In("type", &[2])).doc("Number of the packet."),
        options("requests", &REQUESTS).when(When::In("type", &[3])).extent(Extent::Layer).doc("Link states asked for."),
        uint("count", 32).when(When::In("type", &[4])).doc("Link states that follow."),
        bytes("states").when(When::In("type", &[4])).doc("Link states."),
        options("headers", &HEADERS).when(When::In("type", &[2, 5])).extent(Extent::Layer).doc("Headers of link states."),
    ]),
    under: &[under("IP6", "next", 89)],
    accepts: Some(|octets| octets.first() == Some(&3)),
    ..Layer::BLANK
}
.seal();

const HELLO: &[u64] = &[1];
const TYPES: Names = &[(1, "hello"), (2, "description"), (3, "request"), (4, "update"), (5, "ack")];

static NEIGHBORS: Tlv =
    records(4, &[opt(0, "neighbor", Shape::Fields(&layout([ip4("router").doc("Identifier.")])), "A router.")]);
static REQUESTS: Tlv = records(12, &[opt(0, "state", Shape::Fields(&layout([
    uint("reserved", 16).doc("Reserved."),
    uint("type", 16).doc("Scope and kind; 0x2001 router, 0x2002 network."),
    ip4("id").doc("Which one."),
    ip4("router").doc("Who tells it."),
])), "A link state.")]);
static HEADERS: Tlv = records(20, &[opt(0, "state", Shape::Fields(&layout([
    uint("age", 16).doc("Seconds since it was told."),
    uint("type", 16).doc("Scope and kind; 0x2001 router, 0x2002 network."),
    ip4("id").doc("Which one."),
    ip4("router").doc("Who tells it."),
    uint("seq", 32).doc("Which edition."),
    uint("checksum", 16).doc("Checksum of the link state."),
    uint("len", 16).doc("Length of the link state, in octets."),
])), "A link state.")]);
