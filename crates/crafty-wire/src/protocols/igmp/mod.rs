//! Internet Group Management Protocol, all three versions.

pub(super) mod listeners;

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::net::Ipv4Addr;

use crate::table::*;
use listeners::{INTERVAL, ROBUSTNESS, SOURCES, SUPPRESS, group_records, query_view, record_list};

/// The layer.
pub static LAYER: Layer = Layer {
    name: "IGMP",
    title: "Internet Group Management Protocol",
    spec: "RFC 2236, RFC 3376",
    about: "Hosts tell routers which multicast groups they listen to. A query of version 3 has `suppress`, `robustness`, `interval` or `sources`.",
    example: "/IP(dst=224.0.0.22, ttl=1)/IGMP(type=v3_report, count=1, records=[to_exclude(239.1.1.1)])",
    fields: &layout([
        named("type", 8, TYPES).default(0x11).doc("Kind of message."),
        uint("max_response", 8).doc("Maximum response time, in 0.1 s; values from 128 are exponent and mantissa (version 3)."),
        uint("checksum", 16).computed(Auto::Checksum(INTERNET)).doc("Checksum of the whole message."),
        ip4("group").when(When::NotIn("type", &[0x22])).doc("The group; 0.0.0.0 in a query to all."),
        uint("reserved", 16).when(When::In("type", &[0x22])).doc("Reserved."),
        uint("count", 16).when(When::In("type", &[0x22])).doc("Number of records that follow."),
        options("records", &RECORDS).when(When::In("type", &[0x22])).extent(Extent::Layer).doc("Groups and sources."),
        custom("v3", &CODEC).when(When::In("type", &[0x11])).doc("What a query of version 3 adds, as bytes."),
        SUPPRESS,
        ROBUSTNESS,
        INTERVAL,
        SOURCES,
    ]),
    under: &[under("IP", "proto", 2)],
    ..Layer::BLANK
}
.seal();

const TYPES: NameTable = &[
    (0x11, "query"),
    (0x12, "v1_report"),
    (0x16, "v2_report"),
    (0x17, "leave"),
    (0x22, "v3_report"),
];

static RECORDS: Tlv = record_list(&group_records(RECORD), 4);

const RECORD: OptionShape = OptionShape::Repeat(
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
    query_view::<4, Ipv4Addr>(message.get(V3..)?, view)
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
