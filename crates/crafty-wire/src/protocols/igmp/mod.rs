//! Internet Group Management Protocol, all three versions.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;
use core::net::Ipv4Addr;

use crate::table::*;

/// The layer.
pub static LAYER: Layer = Layer {
    name: "IGMP",
    title: "Internet Group Management Protocol",
    spec: "RFC 2236, RFC 3376",
    about: "Hosts tell routers which multicast groups they listen to. A query of version 3 has `suppress`, `robustness`, `interval` or `sources`.",
    example: "/IP(dst=224.0.0.22, ttl=1)/IGMP(type=v3_report, count=1, records=[to_exclude(239.1.1.1)])",
    fields: &layout([
        named("type", 8, TYPES).default(0x11).doc("Kind of message."),
        uint("max_response", 8).doc("Time for answers, in 0.1 s; from 128 on as exponent and mantissa (version 3)."),
        uint("checksum", 16).computed(Auto::Checksum(INTERNET)).doc("Checksum of the whole message."),
        ip4("group").when(When::NotIn("type", &[0x22])).doc("The group; 0.0.0.0 in a query to all."),
        uint("reserved", 16).when(When::In("type", &[0x22])).doc("Reserved."),
        uint("count", 16).when(When::In("type", &[0x22])).doc("Records that follow."),
        options("records", &RECORDS).when(When::In("type", &[0x22])).extent(Extent::Layer).doc("Groups and sources."),
        custom("v3", &CODEC).when(When::In("type", &[0x11])).doc("What a query of version 3 adds, as bytes."),
        uint("suppress", 1).view().doc("Routers need not process the answers."),
        uint("robustness", 3).view().doc("How often a message is repeated."),
        uint("interval", 8).view().doc("Seconds between queries; from 128 on as exponent and mantissa."),
        text("sources").extent(Extent::Bits).view().doc("Sources asked for, with spaces between."),
    ]),
    under: &[under("IP", "proto", 2)],
    ..Layer::BLANK
}
.seal();

const TYPES: Names = &[
    (0x11, "query"),
    (0x12, "v1_report"),
    (0x16, "v2_report"),
    (0x17, "leave"),
    (0x22, "v3_report"),
];

/// Records of a report. Auxiliary data counts as length, and makes a record raw.
static RECORDS: Tlv = Tlv {
    options: &[
        opt(1, "is_include", RECORD, "Listens to these sources alone."),
        opt(2, "is_exclude", RECORD, "Listens to all but these sources."),
        opt(
            3,
            "to_include",
            RECORD,
            "From now on listens to these sources alone; none: leaves.",
        ),
        opt(
            4,
            "to_exclude",
            RECORD,
            "From now on listens to all but these sources; none: joins.",
        ),
        opt(5, "allow", RECORD, "Listens to these sources too."),
        opt(
            6,
            "block",
            RECORD,
            "Does not listen to these sources any more.",
        ),
    ],
    head: 8,
    kind: Slot::at(0, 8),
    more: Slot::at(8, 8),
    more_unit: 4,
    len: Slot::at(16, 16),
    counts_head: false,
    unit: 4,
    ..KIND_LENGTH
};

const RECORD: Shape = Shape::Repeat(
    &[ip4("group").in_head(32).doc("The group.")],
    &layout([ip4("source").doc("A source.")]),
);

static CODEC: Codec = Codec {
    about: "What IGMP version 3 adds to a query.",
    read,
    write,
};
const V3: usize = 8;

fn read(message: &[u8], view: &str) -> Option<FieldValue> {
    let v3 = message.get(V3..).filter(|v3| v3.len() >= 4)?;
    Some(match view {
        "suppress" => FieldValue::Uint((v3[0] >> 3 & 1).into()),
        "robustness" => FieldValue::Uint((v3[0] & 7).into()),
        "interval" => FieldValue::Uint(v3[1].into()),
        "sources" => FieldValue::Text(sources(v3)),
        _ => return None,
    })
}

fn sources(v3: &[u8]) -> String {
    let count = usize::from(u16::from_be_bytes([v3[2], v3[3]]));
    let (addresses, _) = v3[4..].as_chunks::<4>();
    let mut text = String::new();
    for address in addresses.iter().take(count) {
        let space = if text.is_empty() { "" } else { " " };
        let written = write!(text, "{space}{}", Ipv4Addr::from(*address));
        debug_assert!(written.is_ok());
    }
    text
}

fn write(header: &Header, _: usize, out: &mut Vec<u8>) {
    let number = |name: &str| header.value(name).and_then(FieldValue::as_uint);
    let views = ["suppress", "robustness", "interval", "sources"];
    if views.iter().all(|name| header.value(name).is_none()) {
        return;
    }
    let text = match header.value("sources") {
        Some(FieldValue::Text(text)) => text.to_string(),
        _ => String::new(),
    };
    let sources: Vec<Ipv4Addr> = text
        .split_whitespace()
        .filter_map(|address| address.parse().ok())
        .collect();
    out.push((number("suppress").unwrap_or(0) << 3 | number("robustness").unwrap_or(2)) as u8);
    out.push(number("interval").unwrap_or(125) as u8);
    out.extend((sources.len() as u16).to_be_bytes());
    sources
        .iter()
        .for_each(|address| out.extend(address.octets()));
}
