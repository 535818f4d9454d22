//! A stateful box that sees one direction only.

use super::{Fault, PlaceKind};
use crate::link::InlineVerdict;
use crate::tcp;

pub static FAULT: Fault = Fault {
    name: "asymmetric_state",
    parameters: &[],
    place: PlaceKind::Link,
    doc: "A stateful box stands on a path that only answers take: it never saw the question, so what accepts a connection (SYN and ACK) is dropped; datagrams and pings pass.",
    plant: |lab, planting| {
        lab.inline(planting, |it| match tcp::is_accepting(&it.frame.bytes) {
            true => InlineVerdict::Drop,
            false => InlineVerdict::Pass,
        })
    },
};
