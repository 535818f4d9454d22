//! Load shared packet by packet over paths that are not equally long.

use super::{Fault, Parameter, PlaceKind, Unit};
use crate::link::InlineVerdict;
use crate::router::Balancing;

pub static FAULT: Fault = Fault {
    name: "packet_ecmp",
    parameters: &[Parameter {
        name: "difference",
        unit: Unit::Time,
        default: 15_000_000,
        least: 0,
        most: 10_000_000_000,
    }],
    place: PlaceKind::Router,
    doc: "Routers balance each packet over equal paths, not each flow, and one path takes this much longer, in each direction: packets of a flow are reordered. `@ROUTER` for one router.",
    plant: |lab, planting| {
        lab.change_settings(planting, |settings| settings.balancing = Balancing::Packet)?;
        let detour = planting.at(&lab.scenario.detour);
        let time = planting.time("difference");
        lab.inline(&detour, move |_| InlineVerdict::Late(time))
    },
};
