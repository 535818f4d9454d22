//! Session Traversal Utilities for NAT, and TURN, which has the same form.

use alloc::string::ToString;
use alloc::vec::Vec;
use core::net::{IpAddr, SocketAddr};

use crate::codec::OptionIterator;
use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "STUN",
    title: "Session Traversal Utilities for NAT",
    spec: "RFC 8489, RFC 8656",
    about: "Finds a host's address as seen from outside a NAT. Addresses with `xor` are shown as on the wire.",
    example: "/IP(dst=192.0.2.1)/UDP(src=50000)/STUN(type=binding_request, transaction=#000102030405060708090a0b)",
    fields: &layout([
        named("type", 16, TYPES).default(1).doc("Kind of message; the two highest bits are 0."),
        uint("len", 16).computed(Auto::Length { of: Of::Total, unit: 1, add: -20 }).doc("Length of the attributes, in bytes."),
        uint("cookie", 32).default(0x2112_a442).doc("Fixed value."),
        octets("transaction", 12).doc("Identifies the question that an answer belongs to."),
        options("attributes", &ATTRIBUTES).extent(Extent::Layer).doc("Attributes."),
        text("mapped").extent(Extent::Bits).view().doc("Address and port of the host as seen from outside; read only, as are the next two."),
        text("peer").extent(Extent::Bits).view().doc("Peer of a relayed packet."),
        text("relayed").extent(Extent::Bits).view().doc("Address of the relay."),
    ]),
    views: Some(view),
    under: &[under("UDP", "dst", 3478)],
    begins: Some(|octets| {
        matches!(octets, [0..=63, _, high, low, 0x21, 0x12, 0xa4, 0x42, ..]
            if usize::from(u16::from_be_bytes([*high, *low])) + 20 == octets.len() && low % 4 == 0)
    }),
    accepts: Some(|octets| matches!(octets, [0..=63, _, _, _, 0x21, 0x12, 0xa4, 0x42, ..])),
    ..Layer::BLANK
}
.seal();

const TYPES: NameTable = &[
    (0x0001, "binding_request"),
    (0x0011, "binding_indication"),
    (0x0101, "binding_response"),
    (0x0111, "binding_error"),
    (0x0003, "allocate_request"),
    (0x0103, "allocate_response"),
    (0x0113, "allocate_error"),
    (0x0004, "refresh_request"),
    (0x0104, "refresh_response"),
    (0x0016, "send_indication"),
    (0x0017, "data_indication"),
    (0x0008, "create_permission_request"),
    (0x0108, "create_permission_response"),
    (0x0009, "channel_bind_request"),
    (0x0109, "channel_bind_response"),
];

const COOKIE: usize = 4;
const HEADER: usize = 20;

/// Addresses without what hides them from translators (RFC 8489 §14.2).
fn view(message: &[u8], name: &str) -> Option<FieldValue> {
    let wanted: &[&str] = match name {
        "mapped" => &["xor_mapped", "mapped_address"],
        "peer" => &["xor_peer"],
        "relayed" => &["xor_relayed"],
        _ => return None,
    };
    let list = message.get(HEADER..)?;
    let find = |wanted: &str| {
        OptionIterator::new(&ATTRIBUTES, list)
            .find(|option| option.row.is_some_and(|row| row.name == wanted))
    };
    let (option, name) = wanted.iter().find_map(|name| Some((find(name)?, *name)))?;
    let mask = if name.starts_with("xor") {
        message.get(COOKIE..HEADER)?
    } else {
        &[0; 16]
    };
    address(option.value, mask).map(|address| FieldValue::Text(address.to_string()))
}

/// Family, port and address; the mask hides port and address alike.
fn address(value: &[u8], mask: &[u8]) -> Option<SocketAddr> {
    let (&[_, family, high, low], octets) = value.split_first_chunk()?;
    let port = u16::from_be_bytes([high ^ mask[0], low ^ mask[1]]);
    let clear: Vec<u8> = octets
        .iter()
        .zip(mask)
        .map(|(octet, mask)| octet ^ mask)
        .collect();
    let address = match (family, clear.len()) {
        (1, 4) => IpAddr::from(<[u8; 4]>::try_from(clear).ok()?),
        (2, 16) => IpAddr::from(<[u8; 16]>::try_from(clear).ok()?),
        _ => return None,
    };
    Some(SocketAddr::new(address, port))
}

static ATTRIBUTES: Tlv = Tlv {
    options: &[
        opt(
            0x0001,
            "mapped_address",
            ADDRESS,
            "Address and port of the host as seen from outside.",
        ),
        opt(0x0006, "username", TEXT, "Who."),
        opt(
            0x0008,
            "integrity",
            OptionShape::Fields(&layout([octets("hmac", 20).doc("Code.")])),
            "Who sent the message.",
        ),
        opt(
            0x0009,
            "error",
            OptionShape::Fields(&layout([
                uint("reserved", 21).doc("Reserved."),
                uint("class", 3).doc("Hundreds digit of the code."),
                uint("number", 8).doc("The code modulo 100."),
                text("reason").doc("Message text."),
            ])),
            "Error message.",
        ),
        opt(0x000a, "unknown", DATA, "Attributes not understood."),
        opt(
            0x000d,
            "lifetime",
            NUMBER,
            "Seconds that an allocation is valid.",
        ),
        opt(0x0012, "xor_peer", ADDRESS, "Peer of a relayed packet."),
        opt(0x0013, "data", DATA, "Data that is relayed."),
        opt(0x0014, "realm", TEXT, "Realm of the credentials."),
        opt(0x0015, "nonce", TEXT, "Nonce of the server."),
        opt(0x0016, "xor_relayed", ADDRESS, "Address of the relay."),
        opt(
            0x0019,
            "transport",
            NUMBER,
            "Requested transport, in the highest byte; 17 is UDP.",
        ),
        opt(
            0x0020,
            "xor_mapped",
            ADDRESS,
            "Address and port of the host as seen from outside.",
        ),
        opt(
            0x0024,
            "priority",
            NUMBER,
            "Priority of a candidate (RFC 8445).",
        ),
        opt(
            0x0025,
            "use_candidate",
            OptionShape::Fields(&[]),
            "This pair is chosen (RFC 8445).",
        ),
        opt(0x8022, "software", TEXT, "Software of the sender."),
        opt(
            0x8028,
            "fingerprint",
            NUMBER,
            "CRC-32 of the message; neither computed nor verified.",
        ),
        opt(
            0x8029,
            "controlled",
            OptionShape::Fields(&layout([uint("tie_breaker", 64).doc("Random number.")])),
            "The peer decides (RFC 8445).",
        ),
        opt(
            0x802a,
            "controlling",
            OptionShape::Fields(&layout([uint("tie_breaker", 64).doc("Random number.")])),
            "The sender decides (RFC 8445).",
        ),
    ],
    head: 4,
    kind: Slot::at(0, 16),
    len: Slot::at(16, 16),
    counts_head: false,
    step: 4,
    ..KIND_LENGTH
};

const TEXT: OptionShape = OptionShape::Fields(&layout([text("text").doc("Text.")]));
const DATA: OptionShape = OptionShape::Fields(&layout([bytes("data").doc("What it holds.")]));
const NUMBER: OptionShape = OptionShape::Fields(&layout([uint("value", 32).doc("Number.")]));
const ADDRESS: OptionShape = OptionShape::Fields(&layout([
    uint("reserved", 8).doc("Reserved."),
    uint("family", 8).doc("1 IPv4, 2 IPv6."),
    uint("port", 16).doc("Port."),
    bytes("address").doc("Address."),
]));
