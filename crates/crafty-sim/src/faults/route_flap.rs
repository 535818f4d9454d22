//! A route that changes between two paths.

use super::{Fault, Parameter, PlaceKind};
use crate::link::InlineVerdict;
use crate::schedule::Schedule;
use crafty_value::Duration;

pub static FAULT: Fault = Fault {
    name: "route_flap",
    parameters: &[
        Parameter::time("period", 10_000),
        Parameter::time("difference", 20),
    ],
    place: PlaceKind::Link,
    doc: "For half of each period all traffic takes one of the equal paths, which takes this much longer, and for the other half the other path.",
    plant: |lab, planting| {
        let period = planting.time("period");
        let schedule = |from| Schedule {
            from: Duration(from),
            every: Some(period),
            during: Duration(period.0 / 2),
            ..planting.schedule
        };
        lab.prefer_path(planting, [schedule(0), schedule(period.0 / 2)])?;
        let time = planting.time("difference");
        let detour = planting.at(&lab.scenario.detour);
        lab.inline(&detour, move |_| InlineVerdict::Late(time))
    },
};
