//! OpenBSD loopback: an address family in network byte order.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "Loop",
    title: "OpenBSD loopback",
    spec: "LINKTYPE_LOOP",
    about: "The header that captures on an OpenBSD loopback have instead of a link header.",
    example: "/Loop/IP(dst=192.0.2.1)/UDP(dst=53)",
    fields: &layout([named("family", 32, FAMILIES)
        .computed(Auto::NextLayer(0))
        .doc("Address family.")]),
    next: NextLayer::Peek(super::null::next),
    link_types: &[108],
    role: LayerRole::Link,
    ..Layer::BLANK
}
.seal();

const FAMILIES: NameTable = &[
    (2, "ip"),
    (24, "ip6"),
    (28, "ip6_freebsd"),
    (30, "ip6_darwin"),
];
