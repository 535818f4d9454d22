//! A longer way.

use super::{Fault, Parameter, PlaceKind, Unit};
use crate::link::InlineVerdict;

pub static FAULT: Fault = Fault {
    name: "delay",
    parameters: &[Parameter {
        name: "time",
        unit: Unit::Time,
        default: 50_000_000,
        least: 0,
        most: 10_000_000_000,
    }],
    place: PlaceKind::Link,
    doc: "Every frame takes this much longer, in each direction.",
    plant: |lab, planting| {
        let time = planting.time("time");
        lab.inline(planting, move |_| InlineVerdict::Late(time))
    },
};
