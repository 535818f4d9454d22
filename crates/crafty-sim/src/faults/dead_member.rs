//! One of several equal paths is dead, and nobody noticed.

use super::{Fault, PlaceKind};
use crate::link::InlineVerdict;

pub static FAULT: Fault = Fault {
    name: "dead_member",
    parameters: &[],
    place: PlaceKind::Link,
    doc: "On one of the equal paths (`detour` of the scenario) everything is lost: whether a flow works depends on its ports.",
    plant: |lab, planting| {
        let detour = planting.at(&lab.scenario.detour);
        lab.inline(&detour, |_| InlineVerdict::Drop)
    },
};
