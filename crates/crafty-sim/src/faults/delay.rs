//! A longer way.

use super::{Fault, Parameter, Unit, Verdict};
use crafty_value::Duration;

pub static FAULT: Fault = Fault {
    name: "delay",
    parameter: Some(Parameter {
        name: "time",
        unit: Unit::Time,
        default: 50_000_000,
        least: 0,
        most: 10_000_000_000,
    }),
    doc: "Every frame takes this much longer, each way.",
    plant: |lab, planting| lab.impair(planting, |this, _| Verdict::Late(Duration(this.value))),
};
