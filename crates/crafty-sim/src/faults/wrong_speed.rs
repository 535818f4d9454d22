//! A port that came up at a lower speed: a bad pair in the cable.

use super::{Fault, Parameter, PlaceKind};

pub static FAULT: Fault = Fault {
    name: "wrong_speed",
    parameters: &[Parameter::rate("rate", 10_000_000)],
    place: PlaceKind::Link,
    doc: "The link runs at this rate instead of its configured rate.",
    plant: |lab, planting| {
        let rate = planting.main();
        lab.change_medium(planting, |medium| medium.rate = rate)
    },
};
