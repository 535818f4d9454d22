//! Dynamic Host Configuration Protocol for IPv6.

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "DHCP6",
    title: "Dynamic Host Configuration Protocol for IPv6",
    spec: "RFC 8415",
    about: "Gives a host addresses, prefixes and more. Options inside options are octets.",
    example: "/IP6(dst=ff02::1:2)/UDP(src=546)/DHCP6(type=solicit, xid=7, options=[elapsed(0)])",
    fields: &layout([
        named("type", 8, TYPES).default(1).doc("Kind of message."),
        uint("xid", 24).modular().when(When::NotIn("type", RELAYED)).doc("Ties an answer to its question."),
        uint("hops", 8).when(When::In("type", RELAYED)).doc("Relays passed."),
        ip6("link").when(When::In("type", RELAYED)).doc("Link of the client."),
        ip6("peer").when(When::In("type", RELAYED)).doc("Who sent the message to the relay."),
        options("options", &OPTIONS).extent(Extent::Layer).doc("What is asked and given."),
    ]),
    under: &[under("UDP", "dst", 547), under("UDP", "dst", 546)],
    ..Layer::BLANK
}
.seal();

const RELAYED: &[u64] = &[12, 13];
const TYPES: Names = &[
    (1, "solicit"),
    (2, "advertise"),
    (3, "request"),
    (4, "confirm"),
    (5, "renew"),
    (6, "rebind"),
    (7, "reply"),
    (8, "release"),
    (9, "decline"),
    (10, "reconfigure"),
    (11, "information_request"),
    (12, "relay_forward"),
    (13, "relay_reply"),
];

static OPTIONS: Tlv = Tlv {
    options: &[
        opt(1, "client_id", DATA, "Which client (DUID)."),
        opt(2, "server_id", DATA, "Which server (DUID)."),
        opt(3, "ia_na", ASSOCIATION, "Addresses of an interface."),
        opt(4, "ia_ta", Shape::Fields(&layout([uint("iaid", 32).doc("Interface."), bytes("options").doc("Options inside.")])), "Temporary addresses of an interface."),
        opt(5, "ia_address", Shape::Fields(&layout([
            ip6("address").doc("Address."),
            uint("preferred", 32).doc("Seconds that it is preferred."),
            uint("valid", 32).doc("Seconds that it may be used."),
            bytes("options").doc("Options inside."),
        ])), "An address."),
        opt(6, "request", Shape::Repeat(&[], &layout([uint("code", 16).doc("Number of an option.")])), "Options that the client wants."),
        opt(7, "preference", Shape::Fields(&layout([uint("value", 8).doc("The highest wins.")])), "Which server to take."),
        opt(8, "elapsed", Shape::Fields(&layout([uint("time", 16).doc("In units of 10 ms.")])), "Time since the client began."),
        opt(9, "relay_message", DATA, "The message that a relay passes on."),
        opt(11, "authentication", DATA, "Who sent the message."),
        opt(12, "unicast", ADDRESS, "The server takes unicast at this address."),
        opt(13, "status", Shape::Fields(&layout([uint("code", 16).doc("0 is success."), text("message").doc("In words.")])), "Outcome."),
        opt(14, "rapid_commit", Shape::Fields(&[]), "Two messages are enough."),
        opt(16, "vendor_class", VENDOR, "Kind of client."),
        opt(17, "vendor", VENDOR, "What a vendor defined."),
        opt(18, "interface_id", DATA, "Port of the relay."),
        opt(23, "dns", ADDRESSES, "Name servers (RFC 3646)."),
        opt(24, "search", DATA, "Domains to search (RFC 3646)."),
        opt(25, "ia_pd", ASSOCIATION, "Prefixes of a router."),
        opt(26, "ia_prefix", Shape::Fields(&layout([
            uint("preferred", 32).doc("Seconds that it is preferred."),
            uint("valid", 32).doc("Seconds that it may be used."),
            uint("length", 8).doc("Bits of the prefix."),
            ip6("prefix").doc("Prefix."),
            bytes("options").doc("Options inside."),
        ])), "A prefix."),
        opt(32, "refresh", Shape::Fields(&layout([uint("seconds", 32).doc("Seconds.")])), "When to ask for information again."),
        opt(39, "fqdn", Shape::Fields(&layout([uint("flags", 8).doc("Who updates DNS."), bytes("name").doc("Name, as in DNS.")])), "Name in full (RFC 4704)."),
        opt(59, "boot_file", Shape::Fields(&layout([text("url").doc("Address.")])), "File to boot from (RFC 5970)."),
    ],
    head: 4,
    kind: Slot::at(0, 16),
    len: Slot::at(16, 16),
    counts_head: false,
    ..KIND_LENGTH
};

const ADDRESS: Shape = Shape::Fields(&layout([ip6("address").doc("Address.")]));
const ADDRESSES: Shape = Shape::Repeat(&[], &layout([ip6("address").doc("Address.")]));
const DATA: Shape = Shape::Fields(&layout([bytes("data").doc("What it holds.")]));
const VENDOR: Shape = Shape::Fields(&layout([uint("enterprise", 32).doc("Number of the vendor."), bytes("data").doc("What it holds.")]));
const ASSOCIATION: Shape = Shape::Fields(&layout([
    uint("iaid", 32).doc("Interface."),
    uint("t1", 32).doc("Seconds until the server is asked again."),
    uint("t2", 32).doc("Seconds until any server is asked."),
    bytes("options").doc("Options inside."),
]));
