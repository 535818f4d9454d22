//! Routing Information Protocol for IPv6.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "RIPng",
    title: "Routing Information Protocol for IPv6",
    spec: "RFC 2080",
    about: "Routers announce the networks that they reach, and the distance.",
    example: "/IP6(dst=ff02::9, ttl=255)/UDP(src=521)/RIPng(command=response, entries=[route(2001:db8::, 0, 32, 1)])",
    fields: &layout([
        named("command", 8, &[(1, "request"), (2, "response")]).default(1).doc("Kind of message."),
        uint("version", 8).default(1).doc("Version."),
        uint("reserved", 16).doc("Reserved."),
        options("entries", &ENTRIES).extent(Extent::Layer).doc("Routes."),
    ]),
    under: &[under("UDP", "dst", 521)],
    ..Layer::BLANK
}
.seal();

static ENTRIES: Tlv = records(
    20,
    &[opt(
        0,
        "route",
        OptionShape::Fields(&layout([
            ip6("prefix").doc("The network."),
            uint("tag", 16).doc("Where the route came from."),
            uint("length", 8).doc("Prefix length."),
            uint("metric", 8).doc("Hops; 16 is infinite, 255 marks a next hop."),
        ])),
        "A network.",
    )],
);
