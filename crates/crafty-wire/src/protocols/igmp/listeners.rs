//! What listeners of multicast groups and routers say to each other, in IGMP version 3 as in MLD
//! version 2 (RFC 3376, RFC 3810).

use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt::Display;

use crate::table::*;

/// The records of a report, of which both protocols have the same kinds.
pub(crate) const fn group_records(record: OptionShape) -> [OptionRow; 6] {
    let mut rows = [
        opt(1, "is_include", record, "Listens to these sources only."),
        opt(
            2,
            "is_exclude",
            record,
            "Listens to all sources except these.",
        ),
        opt(
            3,
            "to_include",
            record,
            "From now on listens to these sources only; without sources: leaves.",
        ),
        opt(
            4,
            "to_exclude",
            record,
            "From now on listens to all sources except these; without sources: joins.",
        ),
        opt(5, "allow", record, "Listens to these sources too."),
        opt(6, "block", record, "No longer listens to these sources."),
    ];
    let mut i = 0;
    while i < rows.len() {
        rows[i] = rows[i].or_bytes();
        i += 1;
    }
    rows
}

/// The list of such records, with addresses of `address` bytes. Auxiliary data counts as length,
/// and makes a record raw.
pub(crate) const fn record_list(options: &'static [OptionRow], address: u8) -> Tlv {
    Tlv {
        options,
        head: 4 + address,
        kind: Slot::at(0, 8),
        more: Slot::at(8, 8),
        more_unit: 4,
        len: Slot::at(16, 16),
        counts_head: false,
        unit: address,
        ..KIND_LENGTH
    }
}

pub(crate) const SUPPRESS: Field = uint("suppress", 1)
    .view()
    .doc("Other routers do not update their timers.");
pub(crate) const ROBUSTNESS: Field = uint("robustness", 3)
    .view()
    .doc("How often a message is repeated.");
pub(crate) const INTERVAL: Field = uint("interval", 8)
    .view()
    .doc("Seconds between queries; values from 128 are exponent and mantissa.");
pub(crate) const SOURCES: Field = text("sources")
    .extent(Extent::Bits)
    .view()
    .doc("Queried sources, separated by spaces.");

/// Views of what a query adds in the newer version, from its bytes (RFC 3376 §4.1, RFC 3810 §5.1).
pub(crate) fn query_view<const N: usize, A: From<[u8; N]> + Display>(
    query: &[u8],
    view: &str,
) -> Option<FieldValue> {
    let (&[bits, interval, high, low], addresses) = query.split_first_chunk()?;
    let count = usize::from(u16::from_be_bytes([high, low]));
    let sources = || {
        let addresses = addresses.as_chunks::<N>().0.iter().take(count);
        addresses.map(|address| A::from(*address).to_string())
    };
    Some(match view {
        "suppress" => FieldValue::Uint((bits >> 3 & 1).into()),
        "robustness" => FieldValue::Uint((bits & 7).into()),
        "interval" => FieldValue::Uint(interval.into()),
        "sources" => FieldValue::Text(sources().collect::<Vec<_>>().join(" ")),
        _ => return None,
    })
}
