//! Random early detection with thresholds far too low.

use super::{Fault, Parameter, PlaceKind};
use crate::link::Red;

pub static FAULT: Fault = Fault {
    name: "early_drops",
    parameters: &[Parameter::count("bytes", 3_000, 1_000_000)],
    place: PlaceKind::Link,
    doc: "The link drops at random as soon as this many bytes wait on average, or marks what can be marked (ECN): losses begin long before there is delay.",
    plant: |lab, planting| {
        let low = planting.main();
        lab.change_queue(planting, move |medium, dice| {
            Box::new(Red::new(medium.queue, [low, low * 4], 300_000, dice))
        })
    },
};
