//! Frames lost at random.

use super::{Fault, Parameter, Unit, Verdict};

pub static FAULT: Fault = Fault {
    name: "loss",
    parameter: Some(Parameter {
        name: "share",
        unit: Unit::Percent,
        default: 50_000,
        least: 0,
        most: 1_000_000,
    }),
    doc: "A bad cable: this share of the frames is lost, each way, independently of one another.",
    plant: |lab, planting| {
        lab.impair(planting, |this, _| match this.dice.hits(this.value) {
            true => Verdict::Drop,
            false => Verdict::Pass,
        })
    },
};
