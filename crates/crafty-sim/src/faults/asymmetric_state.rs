//! A stateful box that sees one direction only.

use super::{Fault, PlaceKind};
use crate::link::InlineVerdict;
use crate::tcp;

pub static FAULT: Fault = Fault {
    name: "asymmetric_state",
    parameters: &[],
    place: PlaceKind::Link,
    doc: "A stateful firewall is on the return path only: it never sees the SYN, so it drops the SYN-ACK; UDP and pings pass.",
    plant: |lab, planting| {
        lab.inline(planting, |it| match tcp::is_accepting(&it.frame.bytes) {
            true => InlineVerdict::Drop,
            false => InlineVerdict::Pass,
        })
    },
};
