//! ICMP for IPv6, with neighbour discovery and multicast listener discovery.

use core::net::Ipv6Addr;

use super::icmp::{EXTENSION_CHECKSUM, EXTENSIONS, body};
use super::igmp::listeners::{
    INTERVAL, ROBUSTNESS, SOURCES, SUPPRESS, group_records, query_view, record_list,
};
use crate::spell::PADDED_NAMES;
use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "ICMP6",
    title: "Internet Control Message Protocol for IPv6",
    spec: "RFC 4443, RFC 4861, RFC 2710, RFC 3810, RFC 4884",
    about: "Tests and errors of IPv6, neighbours and routers, multicast listeners.",
    example: "/IP6(dst=2001:db8::1)/ICMP6(type=echo_request, id=77, seq=1)/Bytes(\"ping\")",
    fields: &layout([
        named("type", 8, TYPES).default(128).doc("Kind of message."),
        named("code", 8, CODES).doc("Reason; its meaning depends on the type."),
        uint("checksum", 16)
            .computed(Auto::Checksum(Checksum { pseudo: true, ..INTERNET }))
            .doc("Checksum of pseudo-header and message."),
        uint("length", 8)
            .when(When::In("type", &[1, 3]))
            .computed(Auto::Length { of: Of::BeforeTrailer, unit: 8, add: 0 })
            .doc("Length of the quoted packet, in 64-bit words, if extensions follow (RFC 4884)."),
        uint("unused", 24).when(When::In("type", &[1, 3])).doc("Unused."),
        uint("mtu", 32).when(When::In("type", &[2])).doc("MTU of the next hop."),
        uint("ptr", 32).when(When::In("type", &[4])).doc("Position of the wrong byte in the quoted packet."),
        uint("id", 16).when(When::In("type", &[128, 129])).doc("Identifier of the asking program."),
        uint("seq", 16).when(When::In("type", &[128, 129])).doc("Sequence number."),
        uint("max_delay", 16).when(When::In("type", LISTENERS)).doc("Longest delay of an answer, in ms (coded above 32767 in version 2)."),
        uint("reserved16", 16).when(When::In("type", LISTENERS)).doc("Reserved."),
        ip6("group").when(When::In("type", LISTENERS)).doc("Multicast address."),
        bytes("query2").when(When::In("type", &[130])).doc("What a query of version 2 adds: flags, interval, sources."),
        uint("report_reserved", 16).when(When::In("type", &[143])).doc("Reserved."),
        uint("record_count", 16).when(When::In("type", &[143])).doc("Address records."),
        options("records", &RECORDS).when(When::In("type", &[143])).extent(Extent::Layer).doc("Addresses and sources of a report of version 2."),
        uint("hop_limit", 8).when(When::In("type", &[134])).doc("Hop limit that hosts should use; 0 means unspecified."),
        flags("ra_flags", &["m", "o", "h", "prf1", "prf0", "p", "r6", "r7"]).when(When::In("type", &[134])).doc("Managed, other, home agent, preference."),
        uint("lifetime", 16).when(When::In("type", &[134])).doc("Seconds that the router may be a default router."),
        uint("reachable", 32).when(When::In("type", &[134])).doc("Milliseconds that a neighbour is considered reachable."),
        uint("retrans", 32).when(When::In("type", &[134])).doc("Milliseconds between solicitations."),
        uint("reserved", 32).when(When::In("type", &[133, 135, 137])).doc("Reserved."),
        flags("na_flags", &["router", "solicited", "override"]).when(When::In("type", &[136])).doc("Flags of the advertisement."),
        uint("na_reserved", 29).when(When::In("type", &[136])).doc("Reserved."),
        ip6("target").when(When::In("type", &[135, 136, 137])).doc("Target address."),
        ip6("redirected").when(When::In("type", &[137])).doc("Destination that is redirected."),
        options("options", &OPTIONS).extent(Extent::Layer).when(When::In("type", &[133, 134, 135, 136, 137])).doc("Options of neighbour discovery."),
        SUPPRESS.doc("In a query of version 2: other routers do not update their timers; read only, as are the next three."),
        ROBUSTNESS,
        INTERVAL,
        SOURCES,
        uint("ext_version", 4).default(2).trailer().doc("Version of the extensions."),
        uint("ext_reserved", 12).trailer().doc("Reserved."),
        uint("ext_checksum", 16).trailer().computed(Auto::Checksum(EXTENSION_CHECKSUM)).doc("Checksum of the extensions."),
        options("ext", &EXTENSIONS).trailer().doc("Extensions of an error, after the quoted packet."),
    ]),
    under: &[under("IP", "proto", 58)],
    next: NextLayer::Peek(|header, _| if quotes(header) { Some(&super::ip6::LAYER) } else { None }),
    quotes: Some(quotes),
    views: Some(view),
    body: Some(|header, rest| body(header, rest, &[1, 3], 4, 8)),
    pad_payload: Some(|octets| octets.next_multiple_of(8).max(128)),
    role: LayerRole::Control,
    ..Layer::BLANK
}
.seal();

/// First byte of what a query of version 2 has more (RFC 3810 §5.1).
const QUERY2: usize = 24;

fn view(message: &[u8], name: &str) -> Option<FieldValue> {
    let query = message.get(QUERY2..).filter(|_| message[0] == 130)?;
    query_view::<16, Ipv6Addr>(query, name)
}

static RECORDS: Tlv = record_list(&group_records(RECORD), 16);

const RECORD: OptionShape = OptionShape::Repeat(
    &[ip6("group").in_head(32).doc("The multicast address.")],
    &layout([ip6("source").doc("A source.")]),
);

const LISTENERS: &[u64] = &[130, 131, 132];

const TYPES: NameTable = &[
    (1, "dest_unreachable"),
    (2, "packet_too_big"),
    (3, "time_exceeded"),
    (4, "parameter_problem"),
    (128, "echo_request"),
    (129, "echo_reply"),
    (130, "listener_query"),
    (131, "listener_report"),
    (132, "listener_done"),
    (133, "router_solicitation"),
    (134, "router_advertisement"),
    (135, "neighbor_solicitation"),
    (136, "neighbor_advertisement"),
    (137, "redirect"),
    (143, "listener_report2"),
];

const CODES: NameTable = &[
    (0, "no_route"),
    (1, "admin_prohibited"),
    (2, "beyond_scope"),
    (3, "address_unreachable"),
    (4, "port_unreachable"),
    (5, "source_policy"),
    (6, "route_rejected"),
    (0, "hop_limit_exceeded"),
    (1, "reassembly_exceeded"),
];

fn quotes(header: &[u8]) -> bool {
    matches!(header.first(), Some(1..=4))
}

/// Options of neighbour discovery: lengths in units of eight bytes (RFC 4861 §4.6).
static OPTIONS: Tlv = Tlv {
    options: &[
        opt(
            1,
            "source_link",
            OptionShape::Fields(&layout([mac("address").doc("Link address.")])),
            "Link address of the sender.",
        ),
        opt(
            2,
            "target_link",
            OptionShape::Fields(&layout([mac("address").doc("Link address.")])),
            "Link address of the target.",
        ),
        opt(
            3,
            "prefix",
            OptionShape::Fields(&layout([
                uint("length", 8).doc("Prefix length."),
                flags("flags", &["l", "a", "r", "r3", "r4", "r5", "r6", "r7"])
                    .doc("On link, autonomous, router address."),
                uint("valid", 32).doc("Valid lifetime in seconds."),
                uint("preferred", 32).doc("Preferred lifetime in seconds."),
                uint("reserved", 32).doc("Reserved."),
                ip6("prefix").doc("The prefix."),
            ])),
            "Prefix of the link.",
        ),
        opt(
            4,
            "redirected",
            OptionShape::Fields(&layout([
                uint("reserved", 48).doc("Reserved."),
                bytes("data").doc("The packet."),
            ])),
            "Packet that caused a redirect.",
        ),
        opt(
            5,
            "mtu",
            OptionShape::Fields(&layout([
                uint("reserved", 16).doc("Reserved."),
                uint("mtu", 32).doc("MTU."),
            ])),
            "MTU of the link.",
        ),
        opt(
            14,
            "nonce",
            OptionShape::Fields(&layout([bytes("data").doc("Random bytes.")])),
            "Identifies the question that an answer belongs to (RFC 3971).",
        ),
        opt(
            24,
            "route",
            OptionShape::Fields(&layout([
                uint("length", 8).doc("Prefix length."),
                uint("preference", 8).doc("Preference, in bits 3 and 4."),
                uint("lifetime", 32).doc("Seconds."),
                bytes("prefix").doc("The prefix, in as many bytes as needed."),
            ])),
            "A more specific route (RFC 4191).",
        ),
        opt(
            25,
            "dns_servers",
            OptionShape::Repeat(
                &layout([
                    uint("reserved", 16).doc("Reserved."),
                    uint("lifetime", 32).doc("Seconds."),
                ]),
                &layout([ip6("address").doc("A server.")]),
            ),
            "Recursive DNS servers (RFC 8106).",
        ),
        opt(
            31,
            "dns_search",
            OptionShape::Fields(&layout([
                uint("reserved", 16).doc("Reserved."),
                uint("lifetime", 32).doc("Seconds."),
                spelt("names", &PADDED_NAMES).doc("Names, separated by spaces."),
            ])),
            "Search list (RFC 8106).",
        ),
    ],
    unit: 8,
    ..KIND_LENGTH
};
