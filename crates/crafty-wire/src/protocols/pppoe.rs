//! PPP over Ethernet, discovery and session.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "PPPoE",
    title: "PPP over Ethernet",
    spec: "RFC 2516",
    about: "Finds an access concentrator and carries PPP to it. A session has code 0 and no tags.",
    example: "/Eth/PPPoE(session=7)/PPP/IP(dst=192.0.2.1)/UDP(dst=53)",
    fields: &layout([
        uint("version", 4).default(1).doc("Version."),
        uint("type", 4).default(1).doc("Type."),
        named("code", 8, CODES).doc("Kind of packet."),
        uint("session", 16).doc("The session."),
        uint("len", 16)
            .computed(Auto::Length {
                of: Of::Total,
                unit: 1,
                add: -6,
            })
            .doc("Number of bytes after this header."),
        options("tags", &TAGS)
            .when(When::NotIn("code", &[0]))
            .extent(Extent::Layer)
            .doc("Tags; discovery only."),
    ]),
    under: &[under("Eth", "type", 0x8864), under("Eth", "type", 0x8863)],
    next: NextLayer::Always(&super::ppp::LAYER),
    role: LayerRole::Tunnel,
    network_id: Some("session"),
    ..Layer::BLANK
}
.seal();

const CODES: NameTable = &[
    (0, "session"),
    (0x07, "pado"),
    (0x09, "padi"),
    (0x19, "padr"),
    (0x65, "pads"),
    (0xa7, "padt"),
];

static TAGS: Tlv = Tlv {
    options: &[
        opt(0x0000, "end", OptionShape::Fields(&[]), "End of the list."),
        opt(
            0x0101,
            "service_name",
            OptionShape::Fields(TEXT),
            "Service that is asked for or offered.",
        ),
        opt(
            0x0102,
            "ac_name",
            OptionShape::Fields(TEXT),
            "Name of the access concentrator.",
        ),
        opt(
            0x0103,
            "host_uniq",
            OptionShape::Fields(DATA),
            "Identifies the question that an answer belongs to.",
        ),
        opt(
            0x0104,
            "ac_cookie",
            OptionShape::Fields(DATA),
            "To be sent back to the access concentrator.",
        ),
        opt(
            0x0105,
            "vendor",
            OptionShape::Fields(DATA),
            "What a vendor defined.",
        ),
        opt(
            0x0110,
            "relay_session",
            OptionShape::Fields(DATA),
            "Session of a relay in between.",
        ),
        opt(
            0x0201,
            "service_name_error",
            OptionShape::Fields(TEXT),
            "The service is not available.",
        ),
        opt(
            0x0202,
            "ac_system_error",
            OptionShape::Fields(TEXT),
            "The access concentrator failed.",
        ),
        opt(
            0x0203,
            "generic_error",
            OptionShape::Fields(TEXT),
            "Other error.",
        ),
    ],
    head: 4,
    kind: Slot::at(0, 16),
    len: Slot::at(16, 16),
    counts_head: false,
    end: Some(0),
    ..KIND_LENGTH
};

const TEXT: &[Field] = &layout([text("text").doc("Text.")]);
const DATA: &[Field] = &layout([bytes("data").doc("What it holds.")]);
