//! Extensible Authentication Protocol.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "EAP",
    title: "Extensible Authentication Protocol",
    spec: "RFC 3748",
    about: "Authenticates a device with one of many methods. The data of a method is bytes.",
    example: "/Eth(dst=01:80:c2:00:00:03)/EAPOL/EAP(code=response, id=1, method=identity, data=\"user\")",
    fields: &layout([
        named("code", 8, CODES).default(1).doc("Kind of packet."),
        uint("id", 8).doc("Identifies the request that a response belongs to."),
        uint("len", 16)
            .computed(total_len())
            .doc("Length of the packet, in bytes."),
        named("method", 8, METHODS)
            .when(When::In("code", ASKED))
            .default(1)
            .doc("Method, or kind of question."),
        bytes("data")
            .when(When::In("code", ASKED))
            .doc("Data of the method."),
    ]),
    under: &[under("EAPOL", "type", 0), under("PPP", "proto", 0xc227)],
    ..Layer::BLANK
}
.seal();

const ASKED: &[u64] = &[1, 2];
const CODES: NameTable = &[
    (1, "request"),
    (2, "response"),
    (3, "success"),
    (4, "failure"),
    (5, "initiate"),
    (6, "finish"),
];
const METHODS: NameTable = &[
    (1, "identity"),
    (2, "notification"),
    (3, "nak"),
    (4, "md5"),
    (5, "otp"),
    (6, "token"),
    (13, "tls"),
    (17, "leap"),
    (18, "sim"),
    (21, "ttls"),
    (23, "aka"),
    (25, "peap"),
    (26, "mschapv2"),
    (43, "fast"),
    (50, "aka_prime"),
    (52, "pwd"),
];
