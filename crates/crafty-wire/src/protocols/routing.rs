//! Routing header of IPv6: source routes (obsolete), mobility, segment routing.

use alloc::string::ToString;
use alloc::vec::Vec;
use core::net::Ipv6Addr;
use core::ops::Range;

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "Routing",
    title: "IPv6 routing header",
    spec: "RFC 8200 section 4.4, RFC 6275, RFC 8754",
    about: "Addresses to visit on the path. Checksums after it cover the final destination.",
    example: "/IP6(dst=2001:db8::1)/Routing(type=segments, segments_left=0, segments=#20010db8000000000000000000000001)/UDP(dst=53)",
    fields: &layout([
        named("next", 8, PROTOCOLS).computed(Auto::NextLayer(59)).doc("What follows the header."),
        uint("len", 8).computed(header_len(8, 1)).doc("Header length in units of eight bytes, not counting the first eight."),
        named("type", 8, TYPES).default(4).doc("Kind of route."),
        uint("segments_left", 8).doc("Addresses still to visit."),
        uint("reserved", 32).when(When::In("type", &[0, 2])).doc("Reserved."),
        ip6("home").when(When::In("type", &[2])).doc("Home address."),
        uint("last_entry", 8).when(When::In("type", &[4])).doc("Position of the last segment."),
        uint("flags", 8).when(When::In("type", &[4])).doc("None is defined."),
        uint("tag", 16).when(When::In("type", &[4])).doc("Class of the packet."),
        bytes("segments").extent(Extent::Header).when(When::In("type", &[0, 4])).doc("Addresses of 16 bytes; for segment routing in reverse order, followed by its options."),
        text("path").extent(Extent::Bits).view().doc("Those addresses as text, in the order of the bytes, separated by spaces; read only."),
        bytes("data").extent(Extent::Header).when(When::NotIn("type", &[0, 2, 4])).doc("Data of the type."),
    ]),
    under: &[under("IP6", "next", 43)],
    like: Some("IP6"),
    next: NextLayer::Field("next"),
    route: Some(route),
    views: Some(view),
    role: LayerRole::Extension,
    ..Layer::BLANK
}
.seal();

const TYPES: NameTable = &[
    (0, "source_route"),
    (2, "mobility"),
    (3, "rpl"),
    (4, "segments"),
];

/// First byte of the addresses.
const ADDRESSES: usize = 8;

/// Of segment routing as many as the last entry tells: options may be behind them (RFC 8754 §2).
fn view(header: &[u8], name: &str) -> Option<FieldValue> {
    let kind = *header
        .get(2)
        .filter(|kind| name == "path" && matches!(kind, 0 | 4))?;
    let count = if kind == 4 {
        usize::from(*header.get(4)?) + 1
    } else {
        usize::MAX
    };
    let addresses = header
        .get(ADDRESSES..)?
        .as_chunks::<16>()
        .0
        .iter()
        .take(count);
    Some(FieldValue::Text(
        addresses
            .map(|address| Ipv6Addr::from(*address).to_string())
            .collect::<Vec<_>>()
            .join(" "),
    ))
}

/// The final destination: of a source route the last address (RFC 8200 §8.1), of segment routing
/// the first (RFC 8754 §2).
fn route(header: &[u8]) -> Option<Range<usize>> {
    let (kind, left) = (*header.get(2)?, *header.get(3)?);
    let end = match kind {
        4 => 24,
        _ => 8 + header.len().saturating_sub(8) / 16 * 16,
    };
    let routed = left > 0 && matches!(kind, 0 | 2 | 4) && (24..=header.len()).contains(&end);
    routed.then(|| end - 16..end)
}
