//! Internet Protocol version 4.

use core::ops::Range;

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "IP",
    title: "Internet Protocol version 4",
    spec: "RFC 791",
    about: "Carries a datagram from host to host, in fragments if necessary.",
    example: "/IP(dst=192.0.2.1, ttl=5)/UDP(dst=33434)",
    fields: &layout([
        uint("version", 4)
            .default(4)
            .doc("Version of the protocol."),
        uint("ihl", 4)
            .computed(header_len(4, 0))
            .doc("Header length, in 32-bit words."),
        named("dscp", 6, DSCP).doc("Service class (RFC 2474)."),
        named("ecn", 2, ECN).doc("Congestion mark (RFC 3168)."),
        uint("len", 16)
            .computed(total_len())
            .doc("Length of header and payload, in bytes."),
        uint("id", 16)
            .modular()
            .doc("Identifies the fragments of one datagram."),
        flags("flags", &["evil", "df", "mf"])
            .doc("Fragmentation control; `evil` is reserved (RFC 3514)."),
        uint("frag", 13).doc("Fragment offset, in units of eight bytes."),
        uint("ttl", 8).default(64).doc("Remaining hops."),
        named("proto", 8, PROTOCOLS)
            .computed(Auto::NextLayer(253))
            .doc("What the datagram carries."),
        uint("checksum", 16)
            .computed(Auto::Checksum(Checksum {
                over: ChecksumCoverage::Header,
                ..INTERNET
            }))
            .doc("Checksum of the header."),
        ip4("src").doc("Source; another host's address needs `PERMISSIONS.sources`."),
        ip4("dst").doc("Destination."),
        options("options", &OPTIONS).doc("Rarely used; many routers drop packets with options."),
    ]),
    under: &[
        under("Eth", "type", 0x0800),
        under("IP", "proto", 4),
        under("PPP", "proto", 0x0021),
        under("VXLANGPE", "next", 1),
        under("Null", "family", 0x0200_0000),
        under("Loop", "family", 2),
    ],
    next: NextLayer::Field("proto"),
    pseudo: &["src", "dst"],
    route: Some(route),
    fragment: FragmentFields::By {
        offset: "frag",
        more: "flags",
        bit: "mf",
    },
    check: Some(check),
    link_types: &[228],
    role: LayerRole::Network,
    ..Layer::BLANK
}
.seal();

/// Handles for hot paths.
pub const LEN: Slot = LAYER.slot("len");
/// Identification.
pub const ID: Slot = LAYER.slot("id");
/// Fragmentation control.
pub const FLAGS: Slot = LAYER.slot("flags");
/// Fragment offset.
pub const FRAG: Slot = LAYER.slot("frag");
/// Time to live.
pub const TTL: Slot = LAYER.slot("ttl");
/// Protocol number.
pub const PROTO: Slot = LAYER.slot("proto");
/// Header checksum.
pub const CHECKSUM: Slot = LAYER.slot("checksum");
/// Source.
pub const SRC: Slot = LAYER.slot("src");
/// Destination.
pub const DST: Slot = LAYER.slot("dst");

const VERSION: Slot = LAYER.slot("version");
const ROUTE: &[Field] = &layout([uint("pointer", 8)
    .default(4)
    .doc("Position of the next address in the option, from 1.")]);
const ADDRESS: &[Field] = &layout([ip4("address").doc("A router.")]);

static OPTIONS: Tlv = Tlv {
    options: &[
        opt(0, "eol", OptionShape::Bare, "End of the list."),
        opt(1, "nop", OptionShape::Bare, "Padding between options."),
        opt(
            7,
            "rr",
            OptionShape::Repeat(ROUTE, ADDRESS),
            "Records the route.",
        ),
        opt(
            68,
            "ts",
            OptionShape::Fields(&layout([
                uint("pointer", 8)
                    .default(5)
                    .doc("Position of the next entry in the option, from 1."),
                uint("overflow", 4).doc("Number of routers that found no room."),
                uint("flag", 4).doc(
                    "0 time stamps, 1 addresses and time stamps, 3 time stamps of given addresses.",
                ),
                bytes("data").doc("The entries."),
            ])),
            "Records time stamps.",
        ),
        opt(
            130,
            "security",
            OptionShape::Fields(&layout([bytes("data").doc("Label.")])),
            "Basic security (RFC 1108).",
        ),
        opt(
            131,
            "lsrr",
            OptionShape::Repeat(ROUTE, ADDRESS),
            "Loose source route.",
        ),
        opt(
            136,
            "stream",
            OptionShape::Fields(&layout([uint("id", 16).doc("Stream.")])),
            "Stream identifier (obsolete).",
        ),
        opt(
            137,
            "ssrr",
            OptionShape::Repeat(ROUTE, ADDRESS),
            "Strict source route.",
        ),
        opt(
            148,
            "router_alert",
            OptionShape::Fields(&layout([uint("value", 16).doc("0: every router looks.")])),
            "Routers look at the packet (RFC 2113).",
        ),
    ],
    end: Some(0),
    align: 4,
    ..KIND_LENGTH
};

fn check(header: &[u8]) -> Option<&'static str> {
    (VERSION.get(header) != Some(4)).then_some("the version is not 4")
}

/// The last address of a source route that is not done (RFC 791, RFC 1122 §3.2.1.8).
fn route(header: &[u8]) -> Option<Range<usize>> {
    let mut at = 20;
    for _ in 0..40 {
        let rest = header.get(at..)?;
        let len = match *rest.first()? {
            0 => return None,
            1 => 1,
            kind => {
                let len = usize::from(*rest.get(1)?).max(2);
                if matches!(kind, 131 | 137) && len >= 7 {
                    let pointer = usize::from(*rest.get(2)?);
                    return (len <= rest.len() && pointer < len).then_some(at + len - 4..at + len);
                }
                len
            }
        };
        at += len;
    }
    None
}
