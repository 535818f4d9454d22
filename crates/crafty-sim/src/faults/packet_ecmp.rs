//! Load shared packet by packet over paths that are not equally long.

use super::{Fault, Parameter, Planting, Unit, Verdict};
use crafty_value::Duration;

pub static FAULT: Fault = Fault {
    name: "packet_ecmp",
    parameter: Some(Parameter {
        name: "difference",
        unit: Unit::Time,
        default: 15_000_000,
        least: 0,
        most: 10_000_000_000,
    }),
    doc: "Routers take equal paths in turn for each packet instead of one for each flow, and one of the paths is longer by this \
          time, each way: packets of a flow change their order. `@ROUTER` for one router.",
    plant: |lab, planting| {
        lab.each_router(planting, |router, _| router.per_packet = true)?;
        let detour = Planting {
            place: Some(lab.network.detour),
            ..*planting
        };
        lab.impair(&detour, |this, _| Verdict::Late(Duration(this.value)))
    },
};
