//! Random early detection with thresholds far too low.

use super::{Fault, Parameter, PlaceKind};
use crate::link::Red;

pub static FAULT: Fault = Fault {
    name: "early_drops",
    parameters: &[Parameter::count("bytes", 3_000, 1_000_000)],
    place: PlaceKind::Link,
    doc: "The link drops frames at random, or marks them where ECN allows, as soon as this many bytes are queued on average: losses begin long before delay grows.",
    plant: |lab, planting| {
        let low = planting.main();
        lab.change_queue(planting, move |medium, dice| {
            Box::new(Red::new(medium.queue, [low, low * 4], 300_000, dice))
        })
    },
};
