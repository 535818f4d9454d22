//! Routing Information Protocol, versions 1 and 2.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "RIP",
    title: "Routing Information Protocol",
    spec: "RFC 2453",
    about: "Routers announce the networks that they reach, and the distance.",
    example: "/IP(dst=224.0.0.9, ttl=1)/UDP(src=520)/RIP(command=response, entries=[route(0, 10.0.0.0, 255.0.0.0, 0.0.0.0, 1)])",
    fields: &layout([
        named("command", 8, &[(1, "request"), (2, "response")]).default(1).doc("Kind of message."),
        uint("version", 8).default(2).doc("Version."),
        uint("reserved", 16).doc("Reserved."),
        options("entries", &ENTRIES).extent(Extent::Layer).doc("Routes."),
    ]),
    under: &[under("UDP", "dst", 520)],
    ..Layer::BLANK
}
.seal();

/// The kind is the address family.
static ENTRIES: Tlv = Tlv {
    options: &[
        opt(0, "any", ROUTE, "With a metric of 16: asks for all routes."),
        opt(2, "route", ROUTE, "A network."),
        opt(
            0xffff,
            "auth",
            OptionShape::Fields(&layout([
                uint("type", 16).doc("2: password, 3: digest."),
                octets("data", 16).doc("Password, or key and numbers of a digest."),
            ])),
            "Sender.",
        ),
    ],
    head: 2,
    kind: Slot::at(0, 16),
    ..records(20, &[])
};

const ROUTE: OptionShape = OptionShape::Fields(&layout([
    uint("tag", 16).doc("Where the route came from."),
    ip4("address").doc("The network."),
    ip4("mask").doc("Its mask."),
    ip4("next_hop").doc("Next hop; 0.0.0.0: the sender."),
    uint("metric", 32).doc("Hops; 16 is infinite."),
]));
