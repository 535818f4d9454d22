//! Two routers that learn of a change at different times.

use super::{Fault, Parameter, PlaceKind};
use crate::schedule::Schedule;
use crafty_value::Duration;

pub static FAULT: Fault = Fault {
    name: "micro_loop",
    parameters: &[
        Parameter::time("time", 50),
        Parameter::time("period", 5_000),
    ],
    place: PlaceKind::Link,
    doc: "For this part of each period the far router of a link sends packets back instead of forwarding them: a routing loop that ends before the TTL expires.",
    plant: |lab, planting| {
        let mut passing = planting.clone();
        passing.schedule = Schedule {
            from: Duration(planting.value("period")),
            every: Some(Duration(planting.value("period"))),
            during: planting.time("time"),
            ..planting.schedule
        };
        (super::ttl_loop::FAULT.plant)(lab, &passing)
    },
};
