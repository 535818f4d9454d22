//! Dynamic Host Configuration Protocol, on top of BOOTP.

use alloc::vec::Vec;

use crate::spell::{NAMES, PREFIX};
use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "DHCP",
    title: "Dynamic Host Configuration Protocol",
    spec: "RFC 2131, RFC 2132",
    about: "Gives a host its address and other settings.",
    example: "/IP(src=0.0.0.0, dst=255.255.255.255)/UDP(src=68)/DHCP(xid=7, options=[message_type(discover), end])",
    fields: &layout([
        named("op", 8, &[(1, "request"), (2, "reply")]).default(1).doc("Sender: client or server."),
        named("htype", 8, &[(1, "eth")]).default(1).doc("Type of link address."),
        uint("hlen", 8).default(6).doc("Length of a link address, in bytes."),
        uint("hops", 8).doc("Number of relays passed."),
        uint("xid", 32).modular().doc("Identifies the question that an answer belongs to."),
        uint("secs", 16).doc("Seconds since the client started."),
        flags("flags", &["broadcast"]).doc("Answers must be broadcast."),
        uint("reserved", 15).doc("Reserved."),
        ip4("ciaddr").doc("Address that the client has."),
        ip4("yiaddr").doc("Address for the client."),
        ip4("siaddr").doc("Next boot server."),
        ip4("giaddr").doc("Relay."),
        mac("chaddr").doc("Link address of the client."),
        octets("chaddr_pad", 10).doc("Remaining bytes of a longer link address."),
        octets("sname", 64).doc("Name of the server, padded with zeros."),
        octets("file", 128).doc("File to boot from, padded with zeros."),
        uint("cookie", 32).default(0x6382_5363).doc("Marks the start of the options."),
        options("options", &OPTIONS).extent(Extent::Layer).doc("Options; `end` is the last one."),
        options("joined", &OPTIONS).extent(Extent::Bits).view().doc("The options with continued ones joined (RFC 3396), and those in `file` and `sname` (`overload`); present if it differs from `options`; read only."),
    ]),
    views: Some(joined),
    under: &[under("UDP", "dst", 67), under("UDP", "dst", 68)],
    ..Layer::BLANK
}
.seal();

/// First bytes of `sname`, `file` and `options`, and the first byte after `file`.
const SNAME: usize = 44;
const FILE: usize = 108;
const COOKIE: usize = 236;
const OPTIONS_AT: usize = 240;
const OVERLOAD: u64 = 52;

/// All options of a message in the order of their first parts, if some continue or lie in other
/// fields (RFC 2132 §9.3, RFC 3396).
fn joined(message: &[u8], _: &str) -> Option<FieldValue> {
    let mut parts: Vec<(u8, Vec<u8>)> = Vec::new();
    let mut again = join(message.get(OPTIONS_AT..)?, &mut parts);
    let overload = parts.iter().find(|(kind, _)| u64::from(*kind) == OVERLOAD);
    let fields = overload
        .and_then(|(_, value)| value.first().copied())
        .unwrap_or(0);
    for (bit, span) in [(1, FILE..COOKIE), (2, SNAME..FILE)] {
        if fields & bit != 0 {
            join(message.get(span)?, &mut parts);
            again = true;
        }
    }
    let read = |(kind, value): (u8, Vec<u8>)| match u8::try_from(value.len()) {
        Ok(len) => options_of(&OPTIONS, &[&[kind, len], &value[..]].concat()),
        Err(_) => Vec::from([OptionValue::Raw(value)]),
    };
    again.then(|| FieldValue::Options(parts.into_iter().flat_map(read).collect()))
}

fn options_of(tlv: &'static Tlv, list: &[u8]) -> Vec<OptionValue> {
    crate::codec::options(tlv, list).collect()
}

/// Adds the options of a list to those before; whether one of them went on.
fn join(list: &[u8], parts: &mut Vec<(u8, Vec<u8>)>) -> bool {
    let mut again = false;
    let whole = crate::codec::OptionIterator::new(&OPTIONS, list)
        .take_while(|option| option.broken.is_none());
    for option in whole {
        match option.octets {
            [0] => {}
            [255, ..] => break,
            [kind, ..] => match parts.iter_mut().find(|part| part.0 == *kind) {
                Some(part) => {
                    again = true;
                    part.1.extend(option.value);
                }
                None => parts.push((*kind, option.value.to_vec())),
            },
            [] => {}
        }
    }
    again
}

const MESSAGES: NameTable = &[
    (1, "discover"),
    (2, "offer"),
    (3, "request"),
    (4, "decline"),
    (5, "ack"),
    (6, "nak"),
    (7, "release"),
    (8, "inform"),
];

static OPTIONS: Tlv = Tlv {
    options: &[
        opt(0, "pad", OptionShape::Bare, "Padding between options."),
        opt(1, "mask", ADDRESS, "Mask of the network."),
        opt(3, "routers", ADDRESSES, "Routers."),
        opt(6, "dns", ADDRESSES, "Name servers."),
        opt(12, "host_name", TEXT, "Name of the client."),
        opt(15, "domain", TEXT, "Domain of the client."),
        opt(26, "mtu", OptionShape::Fields(&layout([uint("octets", 16).doc("Bytes.")])), "Largest packet of the link."),
        opt(28, "broadcast", ADDRESS, "Broadcast address."),
        opt(33, "static_routes", OptionShape::Repeat(&[], &layout([ip4("network").doc("Network, by class."), ip4("router").doc("Router to that network.")])), "Routes (obsolete form)."),
        opt(42, "ntp", ADDRESSES, "Time servers."),
        opt(43, "vendor", DATA, "What a vendor defined."),
        opt(50, "requested", ADDRESS, "Address that the client wants."),
        opt(51, "lease", SECONDS, "How long the address may be used."),
        opt(52, "overload", OptionShape::Fields(&layout([uint("where", 8).doc("1 file, 2 sname, 3 both.")])), "Options continue in other fields."),
        opt(53, "message_type", OptionShape::Fields(&layout([named("type", 8, MESSAGES).doc("Kind of message.")])), "Kind of message."),
        opt(54, "server_id", ADDRESS, "Server."),
        opt(55, "parameters", OptionShape::Repeat(&[], &layout([uint("code", 8).doc("Number of an option.")])), "Options that the client wants."),
        opt(56, "message", TEXT, "Error message."),
        opt(57, "max_size", OptionShape::Fields(&layout([uint("octets", 16).doc("Bytes.")])), "Largest message that the client takes."),
        opt(58, "renewal", SECONDS, "When to renew."),
        opt(59, "rebinding", SECONDS, "When to rebind with any server."),
        opt(60, "vendor_class", TEXT, "Kind of client."),
        opt(61, "client_id", OptionShape::Fields(&layout([uint("type", 8).doc("1: a link address."), bytes("id").doc("Identifier.")])), "Client identifier."),
        opt(66, "tftp_server", TEXT, "Server to boot from."),
        opt(67, "boot_file", TEXT, "File to boot from."),
        opt(80, "rapid_commit", OptionShape::Fields(&[]), "Rapid commit: two messages are enough (RFC 4039)."),
        opt(77, "user_class", DATA, "Kind of user (RFC 3004)."),
        opt(81, "fqdn", OptionShape::Fields(&layout([
            flags("flags", &["x7", "x6", "x5", "x4", "n", "e", "o", "s"]).doc("`s`: the server updates DNS, `o`: it insists, `e`: the name is as in DNS, `n`: nobody updates."),
            uint("rcode1", 8).doc("Obsolete."),
            uint("rcode2", 8).doc("Obsolete."),
            bytes("name").doc("Name."),
        ])), "Name in full (RFC 4702)."),
        opt(82, "relay", OptionShape::Fields(&layout([options("parts", &RELAY).doc("What the relay adds.")])), "What a relay adds (RFC 3046)."),
        opt(93, "architecture", OptionShape::Fields(&layout([uint("type", 16).doc("7 is EFI x86-64.")])), "Architecture of the booting machine (RFC 4578)."),
        opt(108, "ip6_only", SECONDS, "How long the client can do without IPv4 (RFC 8925)."),
        opt(114, "portal", OptionShape::Fields(&layout([text("uri").doc("Address.")])), "Captive portal (RFC 8910)."),
        opt(119, "search", NAMES_LIST, "Domains to search (RFC 3397); those with compression are raw.").or_bytes(),
        opt(120, "sip_servers", DATA, "SIP servers: an encoding, then names or addresses (RFC 3361)."),
        opt(121, "routes", ROUTES, "Routes (RFC 3442)."),
        opt(124, "vendor_classes", OptionShape::Repeat(&[], &layout([
            uint("enterprise", 32).doc("Number of the vendor."),
            bytes("data").extent(Extent::Sized(1)).doc("What it holds."),
        ])), "Kinds of client, by vendor (RFC 3925)."),
        opt(125, "vendors", OptionShape::Repeat(&[], &layout([
            uint("enterprise", 32).doc("Number of the vendor."),
            options("parts", &PARTS).extent(Extent::Sized(1)).doc("What it defined."),
        ])), "What vendors defined (RFC 3925)."),
        opt(150, "tftp_addresses", ADDRESSES, "Servers to boot from (RFC 5859)."),
        opt(249, "old_routes", ROUTES, "Routes, with Microsoft's option number."),
        opt(255, "end", OptionShape::Bare, "End of the list."),
    ],
    end: Some(255),
    counts_head: false,
    continues: true,
    ..KIND_LENGTH
};

const ADDRESS: OptionShape = OptionShape::Fields(&layout([ip4("address").doc("Address.")]));
const ADDRESSES: OptionShape = OptionShape::Repeat(&[], &layout([ip4("address").doc("Address.")]));
const SECONDS: OptionShape = OptionShape::Fields(&layout([uint("seconds", 32).doc("Seconds.")]));
const TEXT: OptionShape = OptionShape::Fields(&layout([text("text").doc("Text.")]));
const DATA: OptionShape = OptionShape::Fields(&layout([bytes("data").doc("What it holds.")]));
const NAMES_LIST: OptionShape = OptionShape::Fields(&layout([
    spelt("names", &NAMES).doc("Names, separated by spaces.")
]));
const ROUTES: OptionShape = OptionShape::Repeat(
    &[],
    &layout([
        spelt("prefix", &PREFIX).doc("Network, such as `10.1.0.0/16`."),
        ip4("router").doc("Router to it; 0.0.0.0: it is on the link."),
    ]),
);

/// What a relay adds (RFC 3046 and IANA).
static RELAY: Tlv = Tlv {
    options: &[
        opt(
            1,
            "circuit_id",
            DATA,
            "Port of the relay that the client is connected to.",
        ),
        opt(2, "remote_id", DATA, "The client, or its modem."),
        opt(
            5,
            "link",
            ADDRESS,
            "Network that the client is in (RFC 3527).",
        ),
        opt(6, "subscriber", TEXT, "Subscriber (RFC 3993)."),
        opt(
            9,
            "vendors",
            OptionShape::Repeat(
                &[],
                &layout([
                    uint("enterprise", 32).doc("Number of the vendor."),
                    bytes("data")
                        .extent(Extent::Sized(1))
                        .doc("What it defined."),
                ]),
            ),
            "What vendors defined (RFC 4243).",
        ),
        opt(
            10,
            "flags",
            OptionShape::Fields(&layout([
                uint("bits", 8).doc("128: the message was unicast.")
            ])),
            "How the relay got the message (RFC 5010).",
        ),
        opt(
            11,
            "server",
            ADDRESS,
            "Address that the server must use as its own (RFC 5107).",
        ),
        opt(12, "relay_id", DATA, "Relay identifier (RFC 6925)."),
        opt(
            19,
            "source_port",
            OptionShape::Fields(&[]),
            "The relay listens at another port (RFC 8357).",
        ),
        opt(
            151,
            "vpn",
            OptionShape::Fields(&layout([
                uint("type", 8).doc("0: a name."),
                bytes("id").doc("Network."),
            ])),
            "Virtual network (RFC 6607).",
        ),
    ],
    counts_head: false,
    ..KIND_LENGTH
};

/// Options whose numbers a vendor gave.
static PARTS: Tlv = Tlv {
    options: &[opt(
        0,
        "part",
        OptionShape::Fields(&layout([
            bytes("data").doc("What it holds."),
            uint("code", 8)
                .in_head(0)
                .doc("Number that the vendor gave."),
        ])),
        "An option of the vendor.",
    )
    .masked(0)],
    counts_head: false,
    ..KIND_LENGTH
};
