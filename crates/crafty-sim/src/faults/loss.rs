//! Frames lost at random.

use super::{Fault, Parameter, PlaceKind};
use crate::link::InlineVerdict;

pub static FAULT: Fault = Fault {
    name: "loss",
    parameters: &[Parameter::share(50000)],
    place: PlaceKind::Link,
    doc: "A bad cable: this share of the frames is lost, in each direction, independently of each other.",
    plant: |lab, planting| {
        let share = planting.main();
        lab.inline(planting, move |it| match it.dice.hits(share) {
            true => InlineVerdict::Drop,
            false => InlineVerdict::Pass,
        })
    },
};
