//! BSD loopback: an address family in the byte order of the host that captured.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "Null",
    title: "BSD loopback",
    spec: "LINKTYPE_NULL",
    about: "The header that captures on a BSD loopback have instead of a link header; families differ by system and byte order.",
    example: "/Null/IP(dst=192.0.2.1)/UDP(dst=53)",
    fields: &layout([named("family", 32, FAMILIES).computed(Auto::NextLayer(0)).doc("Address family, as the host that captured wrote it.")]),
    next: NextLayer::Peek(next),
    link_types: &[0],
    role: LayerRole::Link,
    ..Layer::BLANK
}
.seal();

/// Families in the order of little-endian hosts, then of big-endian ones.
const FAMILIES: NameTable = &[
    (0x0200_0000, "ip"),
    (0x1800_0000, "ip6_netbsd"),
    (0x1c00_0000, "ip6_freebsd"),
    (0x1e00_0000, "ip6_darwin"),
    (2, "ip_big_endian"),
    (24, "ip6_netbsd_big_endian"),
    (28, "ip6_freebsd_big_endian"),
    (30, "ip6_darwin_big_endian"),
];

pub(super) fn next(header: &[u8], _: &[u8]) -> Option<&'static Layer> {
    let family = header
        .first_chunk()
        .map(|octets| u32::from_be_bytes(*octets))?;
    match family.min(family.swap_bytes()) {
        2 => Some(&super::ip::LAYER),
        10 | 24 | 28 | 30 => Some(&super::ip6::LAYER),
        _ => None,
    }
}
