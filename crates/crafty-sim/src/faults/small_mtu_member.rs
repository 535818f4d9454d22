//! One of several equal paths takes less, and does not say so.

use super::{Fault, Parameter, PlaceKind};
use crate::link::InlineVerdict;
use crate::packet::{ETHERNET, Head};

pub static FAULT: Fault = Fault {
    name: "small_mtu_member",
    parameters: &[Parameter::size("size", 1400)],
    place: PlaceKind::Link,
    doc: "On one of the equal paths (`detour` of the scenario) datagrams longer than this are lost: which flows are affected depends on their ports.",
    plant: |lab, planting| {
        let size = planting.main();
        let detour = planting.at(&lab.scenario.detour);
        lab.inline(&detour, move |it| {
            match Head::read(it.frame.bytes.get(ETHERNET..).unwrap_or_default()) {
                Ok(head) if head.total as i64 > size => InlineVerdict::Drop,
                _ => InlineVerdict::Pass,
            }
        })
    },
};
