//! Open Shortest Path First for IPv6 (version 3).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::net::Ipv6Addr;

use super::ospf::link_state::{self as shared, HELLO, NEIGHBORS, link_state};
use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "OSPF3",
    title: "Open Shortest Path First for IPv6",
    spec: "RFC 5340",
    about: "Routers of one network exchange the state of their links. Link states of routers, networks, links and prefixes are decoded.",
    example: "/IP6(dst=ff02::5, ttl=1)/OSPF3(type=hello, router=192.0.2.7)",
    fields: &layout([
        uint("version", 8).default(3).doc("Version."),
        shared::TYPE,
        shared::LEN,
        shared::ROUTER_ID,
        shared::AREA,
        uint("checksum", 16)
            .computed(Auto::Checksum(Checksum { pseudo: true, ..INTERNET }))
            .doc("Checksum of pseudo-header and packet."),
        uint("instance", 8).doc("Instance, among several on one link."),
        uint("reserved", 8).doc("Reserved."),
        uint("interface", 32).when(When::In("type", HELLO)).doc("Number of the sender's interface."),
        shared::PRIORITY,
        uint("options", 24).when(When::In("type", HELLO)).default(0x13).doc("Capabilities of the router."),
        shared::HELLO_INTERVAL,
        uint("dead", 16).when(When::In("type", HELLO)).default(40).doc("Seconds of silence after which the router counts as down."),
        shared::DESIGNATED,
        shared::BACKUP,
        shared::HEARD,
        uint("reserved2", 8).when(When::In("type", &[2])).doc("Reserved."),
        uint("options2", 24).when(When::In("type", &[2])).doc("Capabilities of the router."),
        shared::MTU,
        uint("description", 16).when(When::In("type", &[2])).doc("State of the exchange: 4 init, 2 more, 1 master."),
        shared::DESCRIPTION_SEQ,
        shared::requests(&REQUESTS),
        shared::COUNT,
        shared::states(&STATES),
        shared::headers(&HEADERS),
    ]),
    under: &[under("IP6", "next", 89)],
    whole: Some(|packet| (packet.get(1) == Some(&UPDATE)).then(|| shared::fault(packet, STATES_AT))?),
    accepts: Some(|octets| octets.first() == Some(&3)),
    ..Layer::BLANK
}
.seal();

const UPDATE: u8 = 4;
/// First byte of the link states of an update.
const STATES_AT: usize = 20;

static REQUESTS: Tlv = records(
    12,
    &[opt(
        0,
        "state",
        OptionShape::Fields(&layout([
            uint("reserved", 16).doc("Reserved."),
            uint("type", 16).doc("Scope and kind; 0x2001 router, 0x2002 network."),
            shared::NAMED,
            shared::TELLER,
        ])),
        "A link state.",
    )],
);
static HEADERS: Tlv = records(
    20,
    &[opt(
        0,
        "state",
        OptionShape::Fields(&layout([
            shared::STATE_AGE,
            uint("type", 16).doc("Scope and kind; 0x2001 router, 0x2002 network."),
            shared::NAMED,
            shared::TELLER,
            shared::EDITION,
            shared::STATE_SUM,
            shared::STATE_LEN,
        ])),
        "A link state.",
    )],
);

/// Link states; the kind is scope and number in one (RFC 5340 §A.4.2).
static STATES: Tlv = Tlv {
    options: &[
        opt(0x2001, "router", ROUTER, "Links of a router."),
        opt(0x2002, "network", NETWORK, "Routers of a network."),
        opt(
            0x2003,
            "area_prefix",
            AREA_PREFIX,
            "A prefix of another area.",
        ),
        opt(0x4005, "external", STATE, "An external prefix."),
        opt(0x0008, "link", LINK, "What a router announces on one link."),
        opt(
            0x2009,
            "prefixes",
            PREFIXES,
            "Prefixes of a router or network.",
        ),
        opt(0, "state", OTHER, "Any other.").masked(0),
    ],
    head: 20,
    kind: Slot::at(16, 16),
    len: Slot::at(144, 16),
    ..KIND_LENGTH
};

const STATE: OptionShape = link_state![
    bytes("data").doc("Capabilities.");
];
const OTHER: OptionShape = link_state![
    bytes("data").doc("Capabilities."),
    uint("type", 16).in_head(16).doc("Scope and kind.");
];
const ROUTER: OptionShape = link_state![
    flags(
        "bits",
        &["r7", "r6", "r5", "nt", "x", "virtual", "external", "border"],
    )
    .doc("Type of the router."),
    uint("options", 24).doc("Capabilities."),
    options("links", &LINKS).doc("Its links.");
];
const NETWORK: OptionShape = link_state![
    uint("reserved", 8).doc("Reserved."),
    uint("options", 24).doc("Capabilities of its routers."),
    options("routers", &NEIGHBORS).doc("Routers of it.");
];
const AREA_PREFIX: OptionShape = link_state![
    uint("reserved", 8).doc("Reserved."),
    uint("metric", 24).doc("Cost of the path."),
    spelt("prefix", &PREFIX)
        .doc("The prefix, such as `2001:db8::/32`; with `options=` if it has any.");
];
const LINK: OptionShape = link_state![
    uint("priority", 8).doc("Priority in the election of the designated router."),
    uint("options", 24).doc("Capabilities of the router."),
    ip6("address").doc("Its address on the link."),
    uint("count", 32).doc("Prefixes."),
    spelt("prefixes", &PREFIX).doc("The prefixes, separated by spaces.");
];
const PREFIXES: OptionShape = link_state![
    uint("count", 16).doc("Prefixes."),
    uint("of_type", 16).doc("Kind of link state that they belong to: 0x2001 or 0x2002."),
    ip4("of_id").doc("Identifier."),
    ip4("of_router").doc("Advertising router of that link state."),
    spelt("prefixes", &PREFIX)
        .doc("The prefixes, separated by spaces, each with its metric as `metric=`.");
];

static LINKS: Tlv = Tlv {
    options: &[
        opt(1, "p2p", NEIGHBOR, "Another router."),
        opt(2, "transit", NEIGHBOR, "A network with other routers."),
        opt(4, "virtual", NEIGHBOR, "Another router through an area."),
    ],
    kind: Slot::at(0, 8),
    ..records(16, &[])
};
const NEIGHBOR: OptionShape = OptionShape::Fields(&layout([
    uint("type", 8).doc("The kind, repeated."),
    uint("reserved", 8).doc("Reserved."),
    uint("metric", 16).doc("Cost."),
    uint("interface", 32).doc("Number of the router's interface."),
    uint("neighbor_interface", 32).doc("Number of the neighbour's interface."),
    ip4("neighbor").doc("The neighbour."),
]));

/// Prefixes to the end of a link state: bits, options, metric or zero, and as many words as the
/// bits need (RFC 5340 §A.4.1).
static PREFIX: Spelling = Spelling {
    example: "2001:db8::/32 2001:db8:1::/64,options=2,metric=10",
    read: read_prefixes,
    write: write_prefixes,
};

fn read_prefixes(octets: &[u8], at: usize) -> Option<(String, usize)> {
    let (mut words, mut rest) = (Vec::new(), octets.get(at..)?);
    while let Some((&[bits, options, high, low], behind)) = rest.split_first_chunk() {
        let len = usize::from(bits).div_ceil(32) * 4;
        let mut address = [0; 16];
        address.get_mut(..len)?.copy_from_slice(behind.get(..len)?);
        let told = |name: &str, value: u16| {
            if value == 0 {
                String::new()
            } else {
                format!(",{name}={value}")
            }
        };
        let more =
            told("options", options.into()) + &told("metric", u16::from_be_bytes([high, low]));
        words.push(format!("{}/{bits}{more}", Ipv6Addr::from(address)));
        rest = &behind[len..];
    }
    rest.is_empty()
        .then(|| (words.join(" "), octets.len() - at))
}

fn write_prefixes(text: &str, _: usize, out: &mut Vec<u8>) {
    for word in text.split_whitespace() {
        let mut parts = word.split(',');
        let Some((address, bits)) = parts.next().and_then(|prefix| prefix.split_once('/')) else {
            continue;
        };
        let (Ok(address), Ok(bits @ 0..=128)) = (address.parse::<Ipv6Addr>(), bits.parse::<u8>())
        else {
            continue;
        };
        let told: Vec<(&str, &str)> = parts.filter_map(|part| part.split_once('=')).collect();
        let number = |name: &str| {
            told.iter()
                .find(|row| row.0 == name)
                .and_then(|row| row.1.parse::<u16>().ok())
                .unwrap_or(0)
        };
        out.extend([bits, number("options") as u8]);
        out.extend(number("metric").to_be_bytes());
        out.extend(&address.octets()[..usize::from(bits).div_ceil(32) * 4]);
    }
}
