//! Frames held back, so that others overtake them.

use super::{Fault, Parameter, Unit, Verdict};
use crafty_value::Duration;

/// For how long a frame is held back.
const HELD: Duration = Duration::millis(15);

pub static FAULT: Fault = Fault {
    name: "reorder",
    parameter: Some(Parameter {
        name: "share",
        unit: Unit::Percent,
        default: 50_000,
        least: 0,
        most: 1_000_000,
    }),
    doc: "This share of the frames is held back for 15 ms, each way: those behind overtake them.",
    plant: |lab, planting| {
        lab.impair(planting, |this, _| match this.dice.hits(this.value) {
            true => Verdict::Late(HELD),
            false => Verdict::Pass,
        })
    },
};
