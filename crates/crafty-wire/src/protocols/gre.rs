//! Generic Routing Encapsulation.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "GRE",
    title: "Generic Routing Encapsulation",
    spec: "RFC 2784, RFC 2890, RFC 8086",
    about: "Carries any protocol in IP, or in UDP. Checksum, key and sequence number are present if they are set, or if `flags` says so.",
    example: "/IP(dst=192.0.2.1)/GRE(key=7)/IP(dst=198.51.100.1)/UDP(dst=53)",
    fields: &layout([
        flags("flags", &["checksum", "routing", "key", "seq", "strict"]).computed(Auto::Presence(0)).doc("Which optional fields are present."),
        uint("recursion", 3).doc("Reserved; recursion control in RFC 1701."),
        uint("reserved", 5).doc("Reserved; in version 1, bit 7 means that an acknowledgement is present."),
        uint("version", 3).doc("0; 1 is the enhanced version of PPTP."),
        named("proto", 16, ETHER_TYPES).computed(Auto::NextLayer(0x88b5)).doc("What is carried."),
        uint("checksum", 16).when(When::Has("flags", "checksum")).computed(Auto::Checksum(INTERNET)).doc("Checksum of header and payload."),
        uint("reserved1", 16).when(When::Has("flags", "checksum")).doc("Reserved."),
        uint("key", 32).when(When::Has("flags", "key")).doc("Flow that the packet belongs to."),
        uint("seq", 32).modular().when(When::Has("flags", "seq")).doc("Number of the packet."),
    ]),
    under: &[under("IP", "proto", 47), under("UDP", "dst", 4754)],
    like: Some("Eth"),
    next: NextLayer::Peek(next),
    check: Some(check),
    role: LayerRole::Tunnel,
    network_id: Some("key"),
    ..Layer::BLANK
}
.seal();

const PROTO: Slot = LAYER.slot("proto");
const SEQ: u64 = LAYER.bit("flags", "seq");
const ERSPAN: u64 = 0x88be;

/// By `proto`; but mirrored frames without a sequence number (ERSPAN type I) follow at once, unless
/// they begin with the header of type II.
fn next(header: &[u8], payload: &[u8]) -> Option<&'static Layer> {
    let (proto, flags) = (PROTO.get(header)?, FLAGS.get(header)?);
    let like_type_two = matches!(payload, [0x10..=0x1f, _, _, _, 0, 0..=15, ..]);
    match proto {
        ERSPAN if flags & SEQ == 0 && !like_type_two => Some(&super::eth::LAYER),
        _ => crate::registry::child(&LAYER, proto),
    }
}

/// Routing entries would follow the checksum; whoever does not know them throws the packet away
/// (RFC 2784 §2.3.1).
fn check(header: &[u8]) -> Option<&'static str> {
    (FLAGS.get(header)? & ROUTING != 0).then_some("routing entries (RFC 1701) are not decoded")
}

const ROUTING: u64 = LAYER.bit("flags", "routing");
const FLAGS: Slot = LAYER.slot("flags");
