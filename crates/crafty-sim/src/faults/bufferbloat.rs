//! A slow link with a long queue.

use super::{Fault, Parameter, PlaceKind, Unit};

/// Bits a second of the slow link.
const RATE: i64 = 2_000_000;

pub static FAULT: Fault = Fault {
    name: "bufferbloat",
    parameters: &[Parameter {
        name: "queue",
        unit: Unit::Time,
        default: 800_000_000,
        least: 1_000_000,
        most: 10_000_000_000,
    }],
    place: PlaceKind::Link,
    doc: "A 2 Mbit/s link with a queue that takes this long to drain: low delay when idle, high delay under load.",
    plant: |lab, planting| {
        let held = planting.main();
        lab.change_medium(planting, |medium| {
            medium.rate = RATE;
            medium.queue = RATE / 8 * (held / 1_000_000) / 1000;
        })
    },
};
