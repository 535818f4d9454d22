//! Open Shortest Path First, version 2. A digest behind the packet counts as padding, as its length
//! says.

pub(super) mod link_state;

use crate::table::*;
use link_state::{self as shared, HELLO, NEIGHBORS, link_state};

/// The layer.
pub static LAYER: Layer = Layer {
    name: "OSPF",
    title: "Open Shortest Path First",
    spec: "RFC 2328",
    about: "Routers of one network exchange the state of their links. Link states of RFC 2328 are decoded; opaque ones are bytes.",
    example: "/IP(dst=224.0.0.5, ttl=1)/OSPF(type=hello, router=192.0.2.7, mask=255.255.255.0)",
    fields: &layout([
        uint("version", 8).default(2).doc("Version."),
        shared::TYPE,
        shared::LEN,
        shared::ROUTER_ID,
        shared::AREA,
        uint("checksum", 16)
            .computed(Auto::Checksum(Checksum { algorithm: Algorithm::Custom(checksum), ..INTERNET }))
            .doc("Checksum of the packet without `auth`; 0 if a digest replaces it."),
        named("auth_type", 16, &[(0, "none"), (1, "password"), (2, "digest")]).doc("Type of authentication."),
        octets("auth", 8).doc("Password, or key, length and number of a digest."),
        ip4("mask").when(When::In("type", HELLO)).doc("Mask of the network."),
        shared::HELLO_INTERVAL,
        flags("options", OPTIONS).when(When::In("type", HELLO)).default(2).doc("Capabilities of the router."),
        shared::PRIORITY,
        uint("dead", 32).when(When::In("type", HELLO)).default(40).doc("Seconds of silence after which the router counts as down."),
        shared::DESIGNATED,
        shared::BACKUP,
        shared::HEARD,
        shared::MTU,
        flags("options2", OPTIONS).when(When::In("type", &[2])).doc("Capabilities of the router."),
        flags("description", &["x7", "x6", "x5", "x4", "oob", "init", "more", "master"]).when(When::In("type", &[2])).doc("State of the exchange."),
        shared::DESCRIPTION_SEQ,
        shared::requests(&REQUESTS),
        shared::COUNT,
        shared::states(&STATES),
        shared::headers(&HEADERS),
    ]),
    under: &[under("IP", "proto", 89)],
    otherwise: Some(&super::ospf3::LAYER),
    whole: Some(|packet| (packet.get(1) == Some(&UPDATE)).then(|| shared::fault(packet, STATES_AT))?),
    accepts: Some(|octets| octets.first() == Some(&2)),
    ..Layer::BLANK
}
.seal();

const OPTIONS: &[&str] = &["dn", "o", "dc", "l", "n", "mc", "e", "mt"];

const UPDATE: u8 = 4;
/// First byte of the link states of an update.
const STATES_AT: usize = 28;

static REQUESTS: Tlv = records(
    12,
    &[opt(
        0,
        "state",
        OptionShape::Fields(&layout([
            uint("type", 32).doc("1 router, 2 network, 3 summary, 5 external."),
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
            uint("options", 8).doc("What the router can do."),
            uint("type", 8).doc("1 router, 2 network, 3 summary, 5 external."),
            shared::NAMED,
            shared::TELLER,
            shared::EDITION,
            shared::STATE_SUM,
            shared::STATE_LEN,
        ])),
        "A link state.",
    )],
);

/// Link states; the kind is the byte after age and options.
static STATES: Tlv = Tlv {
    options: &[
        opt(1, "router", ROUTER, "Links of a router."),
        opt(2, "network", NETWORK, "Routers of a network."),
        opt(3, "summary", SUMMARY, "A network of another area."),
        opt(
            4,
            "asbr_summary",
            SUMMARY,
            "A border router of another area.",
        ),
        opt(5, "external", EXTERNAL, "An external network."),
        opt(
            7,
            "nssa",
            EXTERNAL,
            "An external network, in a not-so-stubby area.",
        ),
        opt(9, "opaque_link", STATE, "For one link (RFC 5250)."),
        opt(10, "opaque_area", STATE, "For one area (RFC 5250)."),
        opt(11, "opaque_as", STATE, "For all (RFC 5250)."),
    ],
    head: 20,
    kind: Slot::at(24, 8),
    len: Slot::at(144, 16),
    ..KIND_LENGTH
};

const CAN: Field = uint("options", 8)
    .in_head(16)
    .doc("Capabilities of the router.");

const STATE: OptionShape = link_state![
    bytes("data").doc("Capabilities."); CAN
];
const ROUTER: OptionShape = link_state![
    flags(
        "bits",
        &[
            "r7", "r6", "r5", "nt", "wildcard", "virtual", "external", "border",
        ],
    )
    .doc("Type of the router."),
    uint("reserved", 8).doc("Reserved."),
    uint("count", 16).doc("Links."),
    options("links", &LINKS).doc("The links."); CAN
];
const NETWORK: OptionShape = link_state![
    ip4("mask").doc("Mask of the network."),
    options("routers", &NEIGHBORS).doc("Routers of it."); CAN
];
const SUMMARY: OptionShape = link_state![
    ip4("mask").doc("Mask of the network."),
    uint("tos", 8).doc("Type of service; 0."),
    uint("metric", 24).doc("Cost of the path."),
    bytes("more").doc("Costs of other types of service, four bytes each."); CAN
];
const EXTERNAL: OptionShape = link_state![
    ip4("mask").doc("Mask of the network."),
    uint("e", 1).doc("1 if the metric is greater than any internal metric."),
    uint("tos", 7).doc("Type of service; 0."),
    uint("metric", 24).doc("Cost of the path."),
    ip4("forward").doc("Forwarding address; 0.0.0.0: the advertising router."),
    uint("tag", 32).doc("For border routers."),
    bytes("more").doc("Costs of other types of service, twelve bytes each."); CAN
];

/// Links of a router (RFC 2328 §A.4.2); costs of other types of service count as their length.
static LINKS: Tlv = Tlv {
    options: &[
        opt(
            1,
            "p2p",
            LINK,
            "Another router: its identifier, own address or number of the interface.",
        ),
        opt(
            2,
            "transit",
            LINK,
            "A network with other routers: address of the designated one, own address.",
        ),
        opt(
            3,
            "stub",
            LINK,
            "A network without others: its address, its mask.",
        ),
        opt(
            4,
            "virtual",
            LINK,
            "Another router through an area: its identifier, own address.",
        ),
    ],
    head: 12,
    kind: Slot::at(64, 8),
    len: Slot::at(72, 8),
    counts_head: false,
    unit: 4,
    ..KIND_LENGTH
};
const LINK: OptionShape = OptionShape::Repeat(
    &[
        ip4("id").in_head(0).doc("What the link connects to."),
        ip4("data").in_head(32).doc("Link."),
        uint("metric", 16).in_head(80).doc("Cost."),
    ],
    &layout([
        uint("tos", 8).doc("Type of service."),
        uint("reserved", 8).doc("Reserved."),
        uint("cost", 16).doc("Its cost."),
    ]),
);

/// First bytes of checksum, kind of authentication, authentication and what follows.
const AUTH_TYPE: usize = 14;
const AUTH: core::ops::Range<usize> = 16..24;

/// RFC 2328 §D.4: without the eight bytes of authentication; 0 where a digest is there.
fn checksum(packet: &[u8], at: usize) -> u64 {
    if packet.get(AUTH_TYPE..AUTH.start) == Some(&[0, 2]) {
        return 0;
    }
    let mut octets = packet.to_vec();
    for span in [at..at + 2, AUTH] {
        if let Some(span) = octets.get_mut(span) {
            span.fill(0);
        }
    }
    crate::checksum(&octets).into()
}
