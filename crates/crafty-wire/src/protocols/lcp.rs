//! Link Control Protocol of PPP, and the control protocols that have its form.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "LCP",
    title: "Link Control Protocol",
    spec: "RFC 1661 section 5",
    about: "Opens, tests and closes a PPP link.",
    example: "/Eth/PPPoE(session=7)/PPP/LCP(code=configure_request, id=1, options=[mru(1492)])",
    fields: &layout([
        named("code", 8, CODES).default(1).doc("Kind of packet."),
        uint("id", 8).doc("Identifies the question that an answer belongs to."),
        uint("len", 16)
            .computed(total_len())
            .doc("Length of the whole packet, in bytes."),
        options("options", &OPTIONS)
            .when(When::In("code", &[1, 2, 3, 4]))
            .extent(Extent::Layer)
            .doc("Options."),
        uint("magic", 32)
            .when(When::In("code", &[9, 10, 11]))
            .doc("Magic number of the sender, to detect loops."),
    ]),
    under: &[under("PPP", "proto", 0xc021)],
    ..Layer::BLANK
}
.seal();

const CODES: NameTable = &[
    (1, "configure_request"),
    (2, "configure_ack"),
    (3, "configure_nak"),
    (4, "configure_reject"),
    (5, "terminate_request"),
    (6, "terminate_ack"),
    (7, "code_reject"),
    (8, "protocol_reject"),
    (9, "echo_request"),
    (10, "echo_reply"),
    (11, "discard_request"),
];

static OPTIONS: Tlv = Tlv {
    options: &[
        opt(
            1,
            "mru",
            OptionShape::Fields(&layout([uint("octets", 16).doc("Bytes.")])),
            "Largest packet that the sender accepts.",
        ),
        opt(
            2,
            "async_map",
            OptionShape::Fields(&layout([
                uint("map", 32).doc("One bit for each control character.")
            ])),
            "Characters to escape.",
        ),
        opt(
            3,
            "authentication",
            OptionShape::Fields(&layout([
                uint("proto", 16).doc("Protocol, as in `PPP.proto`."),
                bytes("data").doc("Algorithm."),
            ])),
            "The peer must authenticate.",
        ),
        opt(
            5,
            "magic",
            OptionShape::Fields(&layout([uint("number", 32).doc("Random number.")])),
            "Magic number, to detect loops.",
        ),
        opt(
            7,
            "protocol_compression",
            OptionShape::Fields(&[]),
            "Protocol numbers may have one byte.",
        ),
        opt(
            8,
            "address_compression",
            OptionShape::Fields(&[]),
            "Address and control may be left out.",
        ),
    ],
    ..KIND_LENGTH
};
