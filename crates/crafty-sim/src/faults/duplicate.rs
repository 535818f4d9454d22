//! Frames that arrive twice.

use super::{Fault, Parameter, PlaceKind};
use crate::link::InlineVerdict;

pub static FAULT: Fault = Fault {
    name: "duplicate",
    parameters: &[Parameter::share(50000)],
    place: PlaceKind::Link,
    doc: "This share of the frames arrives twice, in each direction.",
    plant: |lab, planting| {
        let share = planting.main();
        lab.inline(planting, move |it| match it.dice.hits(share) {
            true => InlineVerdict::Copies(1),
            false => InlineVerdict::Pass,
        })
    },
};
