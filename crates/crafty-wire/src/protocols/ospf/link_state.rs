//! What both versions of OSPF share: packets, and the heads of link states (RFC 2328 §A.4.1, RFC
//! 5340 §A.4.2).

use crate::table::*;

/// The type of a hello.
pub(crate) const HELLO: &[u64] = &[1];
pub(crate) const TYPES: NameTable = &[
    (1, "hello"),
    (2, "description"),
    (3, "request"),
    (4, "update"),
    (5, "ack"),
];

pub(crate) const TYPE: Field = named("type", 8, TYPES).default(1).doc("Kind of packet.");
pub(crate) const LEN: Field = uint("len", 16)
    .computed(total_len())
    .doc("Length of the packet, in bytes.");
pub(crate) const ROUTER_ID: Field = ip4("router").doc("Router ID of the sender.");
pub(crate) const AREA: Field = ip4("area").doc("Area.");
pub(crate) const HELLO_INTERVAL: Field = uint("hello", 16)
    .when(When::In("type", HELLO))
    .default(10)
    .doc("Seconds between hellos.");
pub(crate) const PRIORITY: Field = uint("priority", 8)
    .when(When::In("type", HELLO))
    .default(1)
    .doc("Priority in the election of the designated router; 0 never becomes it.");
pub(crate) const DESIGNATED: Field = ip4("dr")
    .when(When::In("type", HELLO))
    .doc("Designated router.");
pub(crate) const BACKUP: Field = ip4("bdr")
    .when(When::In("type", HELLO))
    .doc("Backup designated router.");
pub(crate) const HEARD: Field = options("neighbors", &NEIGHBORS)
    .when(When::In("type", HELLO))
    .extent(Extent::Layer)
    .doc("Routers that the sender has received hellos from.");
pub(crate) const MTU: Field = uint("mtu", 16)
    .when(When::In("type", &[2]))
    .doc("Largest packet of the interface.");
pub(crate) const DESCRIPTION_SEQ: Field = uint("seq", 32)
    .when(When::In("type", &[2]))
    .doc("Number of the packet.");
pub(crate) const COUNT: Field = uint("count", 32)
    .when(When::In("type", &[4]))
    .doc("Number of link states that follow.");

/// The list of link states that a request names.
pub(crate) const fn requests(table: &'static Tlv) -> Field {
    options("requests", table)
        .when(When::In("type", &[3]))
        .extent(Extent::Layer)
        .doc("Requested link states.")
}

/// The link states of an update.
pub(crate) const fn states(table: &'static Tlv) -> Field {
    options("states", table)
        .when(When::In("type", &[4]))
        .extent(Extent::Layer)
        .doc("Link states.")
}

/// The headers of a description or an acknowledgement.
pub(crate) const fn headers(table: &'static Tlv) -> Field {
    options("headers", table)
        .when(When::In("type", &[2, 5]))
        .extent(Extent::Layer)
        .doc("Headers of link states.")
}

pub(crate) static NEIGHBORS: Tlv = records(
    4,
    &[opt(
        0,
        "neighbor",
        OptionShape::Fields(&layout([ip4("router").doc("Router ID.")])),
        "A router.",
    )],
);

/// Parts of a header that is in a list: what both versions say of a link state.
pub(crate) const STATE_AGE: Field = uint("age", 16).doc("Seconds since it was told.");
pub(crate) const NAMED: Field = ip4("id").doc("Which one.");
pub(crate) const TELLER: Field = ip4("router").doc("Who tells it.");
pub(crate) const EDITION: Field = uint("seq", 32).doc("Which edition.");
pub(crate) const STATE_SUM: Field = uint("checksum", 16).doc("Checksum of the link state.");
pub(crate) const STATE_LEN: Field = uint("len", 16).doc("Length of the link state, in bytes.");

pub(crate) const AGE: Field = uint("age", 16)
    .in_head(0)
    .doc("Seconds since it was originated.");
pub(crate) const ID: Field = ip4("id").in_head(32).doc("Link state ID.");
pub(crate) const ADVERTISER: Field = ip4("router").in_head(64).doc("Router that originated it.");
pub(crate) const SEQ: Field = uint("seq", 32)
    .in_head(96)
    .doc("Sequence number; the highest is the newest.");
pub(crate) const SUM: Field = uint("checksum", 16)
    .in_head(128)
    .doc("Checksum of the link state.");

/// The shape of a link state: what it tells, then the fields of its head that both versions have,
/// with those of one version between them.
macro_rules! link_state {
    ($($told:expr),* ; $($own:expr),*) => {{
        use $crate::protocols::ospf::link_state::{ADVERTISER, AGE, ID, SEQ, SUM};
        OptionShape::Fields(&layout([$($told,)* AGE, $($own,)* ID, ADVERTISER, SEQ, SUM]))
    }};
}
pub(crate) use link_state;

/// Bytes of the head of a link state, and where its checksum and its length lie in it.
const HEAD: usize = 20;
const CHECKSUM: usize = 16;
const LENGTH: usize = 18;
/// The age at the beginning changes on the way, and is not covered.
const AGE_BYTES: usize = 2;

/// The first link state of an update that cannot be read or whose checksum is wrong; link states
/// begin at byte `at` of the packet (RFC 2328 §12.1.7).
pub(crate) fn fault(packet: &[u8], mut at: usize) -> Option<(usize, &'static str)> {
    while let Some(rest) = packet.get(at..).filter(|rest| !rest.is_empty()) {
        let length = rest
            .get(LENGTH..HEAD)
            .map(|length| usize::from(u16::from_be_bytes([length[0], length[1]])));
        let Some(state) = length
            .filter(|length| *length >= HEAD)
            .and_then(|length| rest.get(..length))
        else {
            return Some((at, "the length of a link state is impossible"));
        };
        if state[CHECKSUM..LENGTH] == [0, 0] || !sums_to_zero(&state[AGE_BYTES..]) {
            return Some((at + CHECKSUM, "the checksum of this link state is wrong"));
        }
        at += state.len();
    }
    None
}

/// Fletcher's checksum over bytes that hold it (RFC 905 annex B).
fn sums_to_zero(octets: &[u8]) -> bool {
    let (first, second) = octets.iter().fold((0u32, 0u32), |(first, second), octet| {
        let first = (first + u32::from(*octet)) % 255;
        (first, (second + first) % 255)
    });
    (first, second) == (0, 0)
}
