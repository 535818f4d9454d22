//! Delay that varies from frame to frame.

use super::{Fault, Parameter, PlaceKind, Unit};
use crate::link::InlineVerdict;
use crafty_value::Duration;

pub static FAULT: Fault = Fault {
    name: "jitter",
    parameters: &[Parameter {
        name: "spread",
        unit: Unit::Time,
        default: 20_000_000,
        least: 0,
        most: 10_000_000_000,
    }],
    place: PlaceKind::Link,
    doc: "Every frame is delayed by a random time up to this, uniformly distributed, in each direction; so frames can be reordered.",
    plant: |lab, planting| {
        let spread = planting.main().unsigned_abs();
        lab.inline(planting, move |it| {
            InlineVerdict::Late(Duration(it.dice.below(spread + 1) as i64))
        })
    },
};
