//! A balancer that looks at the time to live.

use super::{Fault, Parameter, PlaceKind};
use crate::link::InlineVerdict;
use crate::router::Balancing;

pub static FAULT: Fault = Fault {
    name: "ttl_in_hash",
    parameters: &[Parameter::time("difference", 15)],
    place: PlaceKind::Router,
    doc: "Routers include the TTL when they choose among equal paths, and one path (`detour` of the scenario) takes this much longer: packets of one flow with different TTLs take different paths. `@ROUTER` for one router.",
    plant: |lab, planting| {
        lab.change_settings(planting, |settings| {
            settings.balancing = Balancing::TimeToLive
        })?;
        let detour = planting.at(&lab.scenario.detour);
        let time = planting.time("difference");
        lab.inline(&detour, move |_| InlineVerdict::Late(time))
    },
};
