//! Dynamic Host Configuration Protocol for IPv6.

use crate::spell::NAMES;
use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "DHCP6",
    title: "Dynamic Host Configuration Protocol for IPv6",
    spec: "RFC 8415",
    about: "Gives a host addresses, prefixes and other settings. Options contain options, and a relayed message contains the original message.",
    example: "/IP6(dst=ff02::1:2)/UDP(src=546)/DHCP6(type=solicit, xid=7, options=[elapsed(0)])",
    fields: &layout([
        named("type", 8, TYPES).default(1).doc("Kind of message."),
        uint("xid", 24).modular().when(When::NotIn("type", RELAYED)).doc("Identifies the question that an answer belongs to."),
        uint("hops", 8).when(When::In("type", RELAYED)).doc("Number of relays passed."),
        ip6("link").when(When::In("type", RELAYED)).doc("Link of the client."),
        ip6("peer").when(When::In("type", RELAYED)).doc("Who sent the message to the relay."),
        options("options", &OPTIONS).extent(Extent::Layer).doc("Options."),
    ]),
    under: &[under("UDP", "dst", 547), under("UDP", "dst", 546)],
    ..Layer::BLANK
}
.seal();

const RELAYED: &[u64] = &[12, 13];
const TYPES: NameTable = &[
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
        opt(1, "client_id", DATA, "Client identifier (DUID)."),
        opt(2, "server_id", DATA, "Server identifier (DUID)."),
        opt(
            3,
            "ia_na",
            OptionShape::Fields(&ASSOCIATION),
            "Addresses of an interface.",
        ),
        opt(
            4,
            "ia_ta",
            OptionShape::Fields(&layout([
                uint("iaid", 32).doc("Interface."),
                options("options", &OPTIONS).doc("Options inside."),
            ])),
            "Temporary addresses of an interface.",
        ),
        opt(
            5,
            "ia_address",
            OptionShape::Fields(&layout([
                ip6("address").doc("Address."),
                uint("preferred", 32).doc("Preferred lifetime in seconds."),
                uint("valid", 32).doc("Valid lifetime in seconds."),
                options("options", &OPTIONS).doc("Options inside."),
            ])),
            "An address.",
        ),
        opt(
            6,
            "request",
            OptionShape::Repeat(&[], &layout([uint("code", 16).doc("Number of an option.")])),
            "Options that the client wants.",
        ),
        opt(
            7,
            "preference",
            OptionShape::Fields(&layout([uint("value", 8).doc("The highest wins.")])),
            "Which server to take.",
        ),
        opt(
            8,
            "elapsed",
            OptionShape::Fields(&layout([uint("time", 16).doc("In units of 10 ms.")])),
            "Time since the client started.",
        ),
        opt(
            9,
            "relay_message",
            OptionShape::Fields(&layout([options("message", &MESSAGES).doc("The message.")])),
            "The relayed message.",
        ),
        opt(11, "authentication", DATA, "Who sent the message."),
        opt(
            12,
            "unicast",
            ADDRESS,
            "The server takes unicast at this address.",
        ),
        opt(
            13,
            "status",
            OptionShape::Fields(&layout([
                uint("code", 16).doc("0 is success."),
                text("message").doc("Message text."),
            ])),
            "Outcome.",
        ),
        opt(
            14,
            "rapid_commit",
            OptionShape::Fields(&[]),
            "Rapid commit: two messages are enough.",
        ),
        opt(
            15,
            "user_class",
            OptionShape::Repeat(
                &[],
                &layout([bytes("data").extent(Extent::Sized(2)).doc("A class.")]),
            ),
            "Kinds of user.",
        ),
        opt(
            16,
            "vendor_class",
            OptionShape::Repeat(
                &layout([uint("enterprise", 32).doc("Number of the vendor.")]),
                &layout([bytes("data").extent(Extent::Sized(2)).doc("A class.")]),
            ),
            "Kind of client.",
        ),
        opt(
            17,
            "vendor",
            OptionShape::Fields(&layout([
                uint("enterprise", 32).doc("Number of the vendor."),
                options("parts", &PARTS).doc("What it defined."),
            ])),
            "What a vendor defined.",
        ),
        opt(18, "interface_id", DATA, "Port of the relay."),
        opt(23, "dns", ADDRESSES, "Name servers (RFC 3646)."),
        opt(
            24,
            "search",
            OptionShape::Fields(&layout([
                spelt("names", &NAMES).doc("Names, separated by spaces.")
            ])),
            "Domains to search (RFC 3646).",
        ),
        opt(
            25,
            "ia_pd",
            OptionShape::Fields(&ASSOCIATION),
            "Prefixes of a router.",
        ),
        opt(
            26,
            "ia_prefix",
            OptionShape::Fields(&layout([
                uint("preferred", 32).doc("Preferred lifetime in seconds."),
                uint("valid", 32).doc("Valid lifetime in seconds."),
                uint("length", 8).doc("Prefix length."),
                ip6("prefix").doc("Prefix."),
                options("options", &OPTIONS).doc("Options inside."),
            ])),
            "A prefix.",
        ),
        opt(
            31,
            "sntp",
            ADDRESSES,
            "Time servers (obsolete form, RFC 4075).",
        ),
        opt(
            32,
            "refresh",
            OptionShape::Fields(&layout([uint("seconds", 32).doc("Seconds.")])),
            "When to ask for information again.",
        ),
        opt(
            37,
            "remote_id",
            VENDOR,
            "The client, as the relay knows it (RFC 4649).",
        ),
        opt(38, "subscriber", DATA, "Subscriber (RFC 4580)."),
        opt(
            39,
            "fqdn",
            OptionShape::Fields(&layout([
                uint("flags", 8).doc("Who updates DNS."),
                bytes("name").doc("Name, as in DNS."),
            ])),
            "Name in full (RFC 4704).",
        ),
        opt(
            56,
            "ntp",
            DATA,
            "Time servers, as nested options (RFC 5908).",
        ),
        opt(
            61,
            "architecture",
            OptionShape::Repeat(&[], &layout([uint("type", 16).doc("7 is EFI x86-64.")])),
            "Architecture of the booting machine (RFC 5970).",
        ),
        opt(
            79,
            "link_address",
            OptionShape::Fields(&layout([
                uint("type", 16).doc("1: Ethernet."),
                bytes("address").doc("Address."),
            ])),
            "Link address of the client (RFC 6939).",
        ),
        opt(
            82,
            "solicit_max",
            OptionShape::Fields(&layout([uint("seconds", 32).doc("Seconds.")])),
            "Longest time between solicitations (RFC 7083).",
        ),
        opt(
            59,
            "boot_file",
            OptionShape::Fields(&layout([text("url").doc("Address.")])),
            "File to boot from (RFC 5970).",
        ),
    ],
    head: 4,
    kind: Slot::at(0, 16),
    len: Slot::at(16, 16),
    counts_head: false,
    ..KIND_LENGTH
};

const ADDRESS: OptionShape = OptionShape::Fields(&layout([ip6("address").doc("Address.")]));
const ADDRESSES: OptionShape = OptionShape::Repeat(&[], &layout([ip6("address").doc("Address.")]));
const DATA: OptionShape = OptionShape::Fields(&layout([bytes("data").doc("What it holds.")]));
const VENDOR: OptionShape = OptionShape::Fields(&layout([
    uint("enterprise", 32).doc("Number of the vendor."),
    bytes("data").doc("What it holds."),
]));
static ASSOCIATION: [Field; 4] = layout([
    uint("iaid", 32).doc("Interface."),
    uint("t1", 32).doc("Seconds until the server is asked again."),
    uint("t2", 32).doc("Seconds until any server is asked."),
    options("options", &OPTIONS).doc("Options inside."),
]);

/// A message in a message: its kind, then what it has; it takes all that is there.
static MESSAGES: Tlv = Tlv {
    options: &[
        opt(
            1,
            "solicit",
            OptionShape::Fields(&MESSAGE),
            "A client looks for servers.",
        ),
        opt(
            2,
            "advertise",
            OptionShape::Fields(&MESSAGE),
            "A server answers.",
        ),
        opt(
            3,
            "request",
            OptionShape::Fields(&MESSAGE),
            "The client asks one server.",
        ),
        opt(
            4,
            "confirm",
            OptionShape::Fields(&MESSAGE),
            "The client asks whether its addresses are valid on this link.",
        ),
        opt(
            5,
            "renew",
            OptionShape::Fields(&MESSAGE),
            "The client asks to extend its addresses.",
        ),
        opt(
            6,
            "rebind",
            OptionShape::Fields(&MESSAGE),
            "The client asks any server to extend its addresses.",
        ),
        opt(
            7,
            "reply",
            OptionShape::Fields(&MESSAGE),
            "The server's answer.",
        ),
        opt(
            8,
            "release",
            OptionShape::Fields(&MESSAGE),
            "The client releases addresses.",
        ),
        opt(
            9,
            "decline",
            OptionShape::Fields(&MESSAGE),
            "The client reports that an address is already in use.",
        ),
        opt(
            11,
            "information_request",
            OptionShape::Fields(&MESSAGE),
            "The client asks for settings without an address.",
        ),
        opt(
            12,
            "relay_forward",
            OptionShape::Fields(&RELAY),
            "A message that a relay forwards.",
        ),
        opt(
            13,
            "relay_reply",
            OptionShape::Fields(&RELAY),
            "An answer to the relay.",
        ),
    ],
    head: 1,
    kind: Slot::at(0, 8),
    len: Slot::NOWHERE,
    ..KIND_LENGTH
};

static MESSAGE: [Field; 2] = layout([
    uint("xid", 24)
        .modular()
        .doc("Identifies the question that an answer belongs to."),
    options("options", &OPTIONS).doc("Options."),
]);
static RELAY: [Field; 4] = layout([
    uint("hops", 8).doc("Number of relays passed."),
    ip6("link").doc("Link of the client."),
    ip6("peer").doc("Who sent the message to the relay."),
    options("options", &OPTIONS).doc("Options."),
]);

/// Options whose numbers a vendor gave.
static PARTS: Tlv = Tlv {
    options: &[opt(
        0,
        "part",
        OptionShape::Fields(&layout([
            bytes("data").doc("What it holds."),
            uint("code", 16)
                .in_head(0)
                .doc("Number that the vendor gave."),
        ])),
        "An option of the vendor.",
    )
    .masked(0)],
    head: 4,
    kind: Slot::at(0, 16),
    len: Slot::at(16, 16),
    counts_head: false,
    ..KIND_LENGTH
};
