//! Fragments that take another path than their first.

use super::{Fault, PlaceKind};
use crate::link::InlineVerdict;
use crate::packet::{ETHERNET, Head};
use crate::router::Balancing;

pub static FAULT: Fault = Fault {
    name: "fragments_apart",
    parameters: &[],
    place: PlaceKind::Router,
    doc: "Routers choose among equal paths by ports for first fragments and by addresses for the others, and one path (`detour` of the scenario) loses fragments: large datagrams arrive for some ports only. `@ROUTER` for one router.",
    plant: |lab, planting| {
        lab.change_settings(planting, |settings| {
            settings.balancing = Balancing::FirstFragment
        })?;
        let detour = planting.at(&lab.scenario.detour);
        lab.inline(&detour, |it| {
            match Head::read(it.frame.bytes.get(ETHERNET..).unwrap_or_default()) {
                Ok(head) if head.more => InlineVerdict::Drop,
                _ => InlineVerdict::Pass,
            }
        })
    },
};
