//! Hop-by-hop options of IPv6, and the options that it shares with the destination options.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "HopByHop",
    title: "IPv6 hop-by-hop options",
    spec: "RFC 8200 section 4.3",
    about: "Options for every router on the path.",
    example: "/IP6(dst=2001:db8::1)/HopByHop(options=[router_alert(0)])/ICMP6(type=echo_request)",
    fields: &layout([
        named("next", 8, PROTOCOLS)
            .computed(Auto::NextLayer(59))
            .doc("What follows the header."),
        uint("len", 8)
            .computed(header_len(8, 1))
            .doc("Header length in units of eight bytes, not counting the first eight."),
        options("options", &OPTIONS).doc("The options; padded as needed."),
    ]),
    under: &[under("IP6", "next", 0)],
    like: Some("IP6"),
    next: NextLayer::Field("next"),
    jumbo: Some(jumbo),
    role: LayerRole::Extension,
    ..Layer::BLANK
}
.seal();

const JUMBO: u64 = 0xc2;

/// The length of a jumbogram counts from after the header of IPv6 on (RFC 2675 §2).
fn jumbo(header: &[u8]) -> Option<usize> {
    let found = crate::codec::OptionIterator::new(&OPTIONS, header.get(2..)?)
        .find(|option| option.row.is_some_and(|row| row.kind == JUMBO))?;
    let length: [u8; 4] = found.value.try_into().ok()?;
    usize::try_from(u32::from_be_bytes(length)).ok()
}

/// Options of both headers (RFC 8200 §4.2 and IANA).
pub(super) static OPTIONS: Tlv = Tlv {
    options: &[
        opt(0, "pad1", OptionShape::Bare, "One byte of padding."),
        opt(
            1,
            "padn",
            OptionShape::Fields(&layout([bytes("data").doc("Zeros.")])),
            "Two bytes of padding or more.",
        ),
        opt(
            4,
            "tunnel_limit",
            OptionShape::Fields(&layout([uint("limit", 8).doc("Levels.")])),
            "Levels of tunnel that may still be added (RFC 2473).",
        ),
        opt(
            5,
            "router_alert",
            OptionShape::Fields(&layout([uint("value", 16).doc("Reason; 0 is MLD.")])),
            "Routers look at the packet (RFC 2711).",
        ),
        opt(
            0x30,
            "path_mtu",
            OptionShape::Fields(&layout([
                uint("smallest", 16).doc("Smallest MTU on the path so far."),
                uint("returned", 15).doc("Smallest MTU that the other end reported."),
                uint("ask", 1).doc("Whether an answer is requested."),
            ])),
            "Path MTU record (RFC 9268).",
        ),
        opt(
            0xc2,
            "jumbo",
            OptionShape::Fields(&layout([uint("len", 32).doc("Payload length in bytes.")])),
            "Jumbogram (RFC 2675).",
        ),
        opt(
            0xc9,
            "home_address",
            OptionShape::Fields(&layout([ip6("address").doc("The address.")])),
            "Home address (RFC 6275).",
        ),
    ],
    counts_head: false,
    pad: Pad::PadN,
    align: 8,
    ..KIND_LENGTH
};
