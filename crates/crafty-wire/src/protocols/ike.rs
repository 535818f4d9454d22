//! Internet Key Exchange: the header, and what is not encrypted as bytes.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "IKE",
    title: "Internet Key Exchange",
    spec: "RFC 7296, RFC 2408",
    about: "Two ends of IPsec agree on keys. Payloads are bytes.",
    example: "/IP(dst=192.0.2.1)/UDP(src=500)/IKE(initiator=1, exchange=sa_init, flags=i)",
    fields: &layout([
        uint("initiator", 64).doc("Number that the initiator chose."),
        uint("responder", 64).doc("Number that the responder chose; 0 in the first message."),
        named("next", 8, PAYLOADS).doc("Kind of the first payload."),
        uint("version", 4).default(2).doc("Version."),
        uint("minor_version", 4).doc("Minor version."),
        named("exchange", 8, EXCHANGES)
            .default(34)
            .doc("Kind of exchange."),
        flags("flags", &["x7", "x6", "r", "v", "i", "x2", "x1", "x0"])
            .doc("`r`: a response, `i`: from the initiator, `v`: a higher version is supported."),
        uint("message", 32).doc("Number of the message."),
        uint("len", 32)
            .computed(total_len())
            .doc("Length of the message, in bytes."),
        bytes("payloads").doc("Payloads, as bytes."),
    ]),
    under: &[under("UDP", "dst", 500)],
    accepts: Some(|octets| octets.len() >= 28 && matches!(octets[17] >> 4, 1 | 2)),
    ..Layer::BLANK
}
.seal();

const PAYLOADS: NameTable = &[
    (0, "none"),
    (1, "sa1"),
    (33, "sa"),
    (34, "key_exchange"),
    (35, "id_initiator"),
    (36, "id_responder"),
    (37, "certificate"),
    (39, "auth"),
    (40, "nonce"),
    (41, "notify"),
    (42, "delete"),
    (43, "vendor"),
    (46, "encrypted"),
    (53, "encrypted_fragment"),
];
const EXCHANGES: NameTable = &[
    (2, "identity_protection"),
    (4, "aggressive"),
    (5, "informational1"),
    (32, "quick"),
    (34, "sa_init"),
    (35, "auth"),
    (36, "create_child_sa"),
    (37, "informational"),
    (43, "intermediate"),
];
