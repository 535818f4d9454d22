//! Internet Control Message Protocol, and the extensions of its errors that ICMPv6 has too (RFC
//! 4884).

mod interface_information;

use crate::table::*;
use interface_information::INTERFACE;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "ICMP",
    title: "Internet Control Message Protocol",
    spec: "RFC 792, RFC 4884",
    about: "Tests and errors of IPv4. An error quotes the start of the packet that caused it, as layers.",
    example: "/IP(dst=192.0.2.1)/ICMP(type=echo_request, id=77, seq=1)/Bytes(\"ping\")",
    fields: &layout([
        named("type", 8, TYPES).default(8).doc("Kind of message."),
        named("code", 8, CODES).doc("Reason; its meaning depends on the type."),
        uint("checksum", 16).computed(Auto::Checksum(INTERNET)).doc("Checksum of the whole message."),
        uint("id", 16).when(When::In("type", ECHOES)).doc("Identifier of the asking program."),
        uint("seq", 16).when(When::In("type", ECHOES)).doc("Sequence number."),
        uint("originate", 32).when(When::In("type", &[13, 14])).doc("When it was sent, in ms since midnight UT."),
        uint("receive", 32).when(When::In("type", &[13, 14])).doc("When it was received."),
        uint("transmit", 32).when(When::In("type", &[13, 14])).doc("When the answer was sent."),
        ip4("mask").when(When::In("type", &[17, 18])).doc("Address mask."),
        ip4("gateway").when(When::In("type", &[5])).doc("Router to use instead."),
        uint("unused", 8).when(When::In("type", &[3, 11])).doc("Unused."),
        uint("ptr", 8).when(When::In("type", &[12])).doc("Position of the wrong byte in the quoted packet."),
        uint("length", 8)
            .when(When::In("type", &[3, 11, 12]))
            .computed(Auto::Length { of: Of::BeforeTrailer, unit: 4, add: 0 })
            .doc("Length of the quoted packet, in 32-bit words, if extensions follow (RFC 4884)."),
        uint("mtu", 16).when(When::In("type", &[3])).doc("MTU of the next hop (RFC 1191)."),
        uint("unused2", 16).when(When::In("type", &[11, 12])).doc("Unused."),
        uint("quench", 32).when(When::In("type", &[4])).doc("Unused."),
        uint("count", 8).when(When::In("type", &[9])).doc("Number of addresses that follow (RFC 1256)."),
        uint("size", 8).when(When::In("type", &[9])).doc("Size of an address entry, in 32-bit words."),
        uint("lifetime", 16).when(When::In("type", &[9])).doc("Seconds that they are valid."),
        uint("reserved", 32).when(When::In("type", &[10])).doc("Reserved."),
        uint("ext_version", 4).default(2).trailer().doc("Version of the extensions."),
        uint("ext_reserved", 12).trailer().doc("Reserved."),
        uint("ext_checksum", 16).trailer().computed(Auto::Checksum(EXTENSION_CHECKSUM)).doc("Checksum of the extensions."),
        options("ext", &EXTENSIONS).trailer().doc("Extensions of an error, after the quoted packet."),
    ]),
    under: &[under("IP", "proto", 1)],
    next: NextLayer::Peek(|header, _| if quotes(header) { Some(&super::ip::LAYER) } else { None }),
    quotes: Some(quotes),
    body: Some(|header, rest| body(header, rest, &[3, 11, 12], 5, 4)),
    pad_payload: Some(|octets| octets.next_multiple_of(4).max(LEGACY_QUOTE)),
    role: LayerRole::Control,
    ..Layer::BLANK
}
.seal();

const TYPES: NameTable = &[
    (0, "echo_reply"),
    (3, "dest_unreachable"),
    (4, "source_quench"),
    (5, "redirect"),
    (8, "echo_request"),
    (9, "router_advertisement"),
    (10, "router_solicitation"),
    (11, "time_exceeded"),
    (12, "parameter_problem"),
    (13, "timestamp_request"),
    (14, "timestamp_reply"),
    (15, "information_request"),
    (16, "information_reply"),
    (17, "mask_request"),
    (18, "mask_reply"),
    (42, "extended_echo_request"),
    (43, "extended_echo_reply"),
];

const CODES: NameTable = &[
    (0, "net_unreachable"),
    (1, "host_unreachable"),
    (2, "proto_unreachable"),
    (3, "port_unreachable"),
    (4, "frag_needed"),
    (5, "source_route_failed"),
    (6, "net_unknown"),
    (7, "host_unknown"),
    (9, "net_prohibited"),
    (10, "host_prohibited"),
    (13, "admin_prohibited"),
    (0, "ttl_exceeded"),
    (1, "reassembly_exceeded"),
    (0, "redirect_net"),
    (1, "redirect_host"),
];

const ECHOES: &[u64] = &[0, 8, 13, 14, 15, 16, 17, 18];

/// Bytes that a router without a length field quotes before its extensions (RFC 4884 §5.5).
const LEGACY_QUOTE: usize = 128;

fn quotes(header: &[u8]) -> bool {
    matches!(header.first(), Some(3 | 4 | 5 | 11 | 12))
}

pub(super) const EXTENSION_CHECKSUM: Checksum = Checksum {
    over: ChecksumCoverage::Trailer,
    zero_is_none: true,
    ..INTERNET
};

/// Objects after the quoted packet: length, class and type (RFC 4884 §7). The kind is class and
/// type in one.
pub(super) static EXTENSIONS: Tlv = Tlv {
    options: &[
        opt(0x0101, "mpls", OptionShape::Repeat(&[], &layout([
            uint("label", 20).doc("Label."),
            uint("tc", 3).doc("Traffic class."),
            uint("bottom", 1).doc("1 on the last entry."),
            uint("ttl", 8).doc("Remaining hops."),
        ])), "Label stack of the received packet (RFC 4950)."),
        opt(0x0200, "interface", OptionShape::Fields(&layout([
            spelt("told", &INTERFACE).doc("Role (`incoming`, `below` IP, `outgoing`, `next`), then `index=`, `address=`, `name=`, `mtu=`."),
        ])), "Interface that received the packet or would have sent it (RFC 5837).").masked(0xff00),
    ],
    head: 4,
    kind: Slot::at(16, 16),
    len: Slot::at(0, 16),
    ..KIND_LENGTH
};

/// Where the quoted packet ends and extensions begin: as the length at byte `at` says, in units of
/// `unit` bytes; without a length behind 128 bytes, if what is there has the right version and
/// checksum (RFC 4884 §5.5).
pub(super) fn body(header: &[u8], rest: &[u8], types: &[u8], at: usize, unit: usize) -> Body {
    let none = Body::carries(rest.len());
    let (Some(kind), Some(&length)) = (header.first(), header.get(at)) else {
        return none;
    };
    if !types.contains(kind) {
        return none;
    }
    let with = |payload| Body {
        trailer: rest.len() - payload,
        ..Body::carries(payload)
    };
    match usize::from(length) * unit {
        0 if extensions(rest, LEGACY_QUOTE).is_some_and(is_verified) => with(LEGACY_QUOTE),
        0 => none,
        said if extensions(rest, said).is_some() => with(said),
        said if said > rest.len() && extensions(rest, length.into()).is_some_and(is_whole) => {
            with(length.into()).but("the length of the quoted packet is in bytes, not words")
        }
        said if said > rest.len() => none.but("the quoted packet is shorter than its length says"),
        _ => none.but("no extensions follow where the length of the quoted packet says"),
    }
}

/// The extensions that begin at a byte, if their version is right.
fn extensions(rest: &[u8], start: usize) -> Option<&[u8]> {
    rest.get(start..)
        .filter(|octets| octets.len() >= 4 && octets[0] >> 4 == 2)
}

fn is_verified(extensions: &[u8]) -> bool {
    extensions[2..4] != [0, 0] && crate::checksum(extensions) == 0
}

/// Whether objects fill the extensions to their end.
fn is_whole(extensions: &[u8]) -> bool {
    let mut rest = &extensions[4..];
    while let Some(length) = rest.first_chunk() {
        match rest.get(usize::from(u16::from_be_bytes(*length)).max(4)..) {
            Some(behind) => rest = behind,
            None => return false,
        }
    }
    rest.is_empty()
}
