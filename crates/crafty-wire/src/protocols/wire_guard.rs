//! WireGuard: what is readable of its four messages.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "WireGuard",
    title: "WireGuard",
    spec: "WireGuard: Next Generation Kernel Network Tunnel, section 5.4",
    about: "A tunnel in UDP. Indices and the counter are bytes in little-endian order, as on the wire.",
    example: "/IP(dst=192.0.2.1)/UDP(src=51820)/WireGuard(type=data, receiver=#01000000)/Bytes(#00)",
    fields: &layout([
        named("type", 8, TYPES).default(1).doc("Kind of message."),
        uint("reserved", 24).doc("Always 0."),
        octets("sender", 4).when(When::In("type", &[1, 2])).doc("Index that the sender chose."),
        octets("receiver", 4).when(When::In("type", &[2, 3, 4])).doc("Index that the receiver chose."),
        octets("ephemeral", 32).when(When::In("type", &[1, 2])).doc("Ephemeral public key."),
        octets("static", 48).when(When::In("type", &[1])).doc("Static public key, encrypted."),
        octets("timestamp", 28).when(When::In("type", &[1])).doc("Time stamp, encrypted."),
        octets("empty", 16).when(When::In("type", &[2])).doc("Empty, encrypted."),
        octets("mac1", 16).when(When::In("type", &[1, 2])).doc("Shows that the receiver's key is known."),
        octets("mac2", 16).when(When::In("type", &[1, 2])).doc("Shows that a cookie was received."),
        octets("nonce", 24).when(When::In("type", &[3])).doc("Nonce of the cookie."),
        octets("cookie", 32).when(When::In("type", &[3])).doc("Cookie, encrypted."),
        octets("counter", 8).when(When::In("type", &[4])).doc("Number of the packet."),
    ]),
    under: &[under("UDP", "dst", 51820)],
    accepts: Some(|octets| matches!(octets, [1..=4, 0, 0, 0, ..])),
    role: LayerRole::Tunnel,
    ..Layer::BLANK
}
.seal();

const TYPES: NameTable = &[
    (1, "initiation"),
    (2, "response"),
    (3, "cookie"),
    (4, "data"),
];
