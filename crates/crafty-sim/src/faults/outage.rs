//! A link that flaps.

use super::{Fault, Parameter, PlaceKind};
use crate::link::InlineVerdict;

pub static FAULT: Fault = Fault {
    name: "outage",
    parameters: &[
        Parameter::time("time", 1_000),
        Parameter::time("period", 30_000),
    ],
    place: PlaceKind::Link,
    doc: "For this part of each period nothing passes, in either direction: outages of equal length at equal intervals.",
    plant: |lab, planting| {
        let (time, period) = (planting.main(), planting.value("period").max(1));
        lab.inline(planting, move |it| match it.now.0.rem_euclid(period) {
            phase if phase >= period - time => InlineVerdict::Drop,
            _ => InlineVerdict::Pass,
        })
    },
};
