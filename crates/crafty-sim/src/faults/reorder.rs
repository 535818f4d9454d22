//! Frames held back, so that others overtake them.

use super::{Fault, Parameter, PlaceKind};
use crate::link::InlineVerdict;
use crafty_value::Duration;

/// For how long a frame is held back.
const HELD: Duration = Duration::millis(15);

pub static FAULT: Fault = Fault {
    name: "reorder",
    parameters: &[Parameter::share(50000)],
    place: PlaceKind::Link,
    doc: "This share of the frames is delayed by 15 ms, in each direction: later frames overtake them.",
    plant: |lab, planting| {
        let share = planting.main();
        lab.inline(planting, move |it| match it.dice.hits(share) {
            true => InlineVerdict::Late(HELD),
            false => InlineVerdict::Pass,
        })
    },
};
