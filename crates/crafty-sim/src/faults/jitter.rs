//! Delay that varies from frame to frame.

use super::{Fault, Parameter, Unit, Verdict};
use crafty_value::Duration;

pub static FAULT: Fault = Fault {
    name: "jitter",
    parameter: Some(Parameter {
        name: "spread",
        unit: Unit::Time,
        default: 20_000_000,
        least: 0,
        most: 10_000_000_000,
    }),
    doc: "Every frame takes longer by a time between nothing and this, evenly spread, each way; so they may change their order.",
    plant: |lab, planting| {
        lab.impair(planting, |this, _| {
            Verdict::Late(Duration(
                this.dice.below(this.value.unsigned_abs() + 1) as i64
            ))
        })
    },
};
