//! A link of which one direction is dead: one strand of the fibre is broken.

use super::{Fault, PlaceKind};
use crate::link::InlineVerdict;

pub static FAULT: Fault = Fault {
    name: "one_way",
    parameters: &[],
    place: PlaceKind::Link,
    doc: "Nothing passes from the far end of the link to the near end; the other direction works. `@a>b` names the direction that is dead.",
    plant: |lab, planting| {
        let (_, sides) = lab.directions(planting)?;
        let dead = if sides == [true; 2] {
            1
        } else {
            usize::from(sides[1])
        };
        lab.inline(planting, move |it| match it.side == dead {
            true => InlineVerdict::Drop,
            false => InlineVerdict::Pass,
        })
    },
};
