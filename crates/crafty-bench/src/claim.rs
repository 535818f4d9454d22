//! Evidence: a claim says which packets passed a portal. It is looked up in the portal's recording.

use crate::packet::{FrameFields, fields};
use crafty_capture::Record;
use crafty_value::Direction;
use serde_json::{Map, Value};

/// The keys of a claim beside `portal` and `count`.
pub(crate) const KEYS: &[&str] = &[
    "direction",
    "src",
    "dst",
    "protocol",
    "src_port",
    "dst_port",
    "icmp_type",
    "icmp_code",
    "flags",
    "ttl",
    "min_length",
    "max_length",
];

/// How many recorded frames of a portal are as a claim says; an unknown key fits none.
pub(crate) fn matching(claim: &Map<String, Value>, frames: &[Record], portal: usize) -> usize {
    let own = frames.iter().filter(|it| it.interface == portal);
    own.filter(|it| fits(claim, it)).count()
}

fn fits(claim: &Map<String, Value>, record: &Record) -> bool {
    let Some(seen) = fields(&record.octets) else {
        return false;
    };
    let keys = claim
        .iter()
        .filter(|(key, _)| !["portal", "count", "says"].contains(&key.as_str()));
    keys.into_iter()
        .all(|(key, wanted)| field_fits(key, wanted, &seen, record))
}

fn field_fits(key: &str, wanted: &Value, seen: &FrameFields, record: &Record) -> bool {
    let text = wanted
        .as_str()
        .map(str::to_string)
        .unwrap_or_else(|| wanted.to_string());
    let number = || wanted.as_u64().or_else(|| text.parse().ok());
    let is = |value: Option<u64>| value.is_some() && value == number();
    match key {
        "direction" => match record.direction {
            Some(Direction::Outbound) => text == "sent",
            _ => text == "received",
        },
        "src" => text.parse().ok() == seen.src && seen.src.is_some(),
        "dst" => text.parse().ok() == seen.dst && seen.dst.is_some(),
        "protocol" => text == seen.protocol,
        "src_port" => is(seen.src_port.map(u64::from)),
        "dst_port" => is(seen.dst_port.map(u64::from)),
        "icmp_type" => is(seen.icmp_type.map(u64::from)),
        "icmp_code" => is(seen.icmp_code.map(u64::from)),
        "ttl" => is(seen.ttl.map(u64::from)),
        "flags" => text == seen.flags,
        "min_length" => number().is_some_and(|it| seen.length as u64 >= it),
        "max_length" => number().is_some_and(|it| seen.length as u64 <= it),
        _ => false,
    }
}
