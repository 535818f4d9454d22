//! Frames that arrive twice.

use super::{Fault, Parameter, Unit, Verdict};

pub static FAULT: Fault = Fault {
    name: "duplicate",
    parameter: Some(Parameter {
        name: "share",
        unit: Unit::Percent,
        default: 50_000,
        least: 0,
        most: 1_000_000,
    }),
    doc: "This share of the frames arrives twice, each way.",
    plant: |lab, planting| {
        lab.impair(planting, |this, _| match this.dice.hits(this.value) {
            true => Verdict::Twice,
            false => Verdict::Pass,
        })
    },
};
