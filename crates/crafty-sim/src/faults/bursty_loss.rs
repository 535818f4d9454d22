//! Loss in bursts, as on a microwave hop (Gilbert-Elliott).

use super::{Fault, Parameter, PlaceKind};
use crate::link::InlineVerdict;

pub static FAULT: Fault = Fault {
    name: "bursty_loss",
    parameters: &[
        Parameter::percent("enter", 2_000),
        Parameter::percent("leave", 300_000),
    ],
    place: PlaceKind::Link,
    doc: "A channel with two states: good, where nothing is lost, and bad, where every frame is lost. These are the chances, per frame, to enter and to leave the bad state, so losses come in bursts.",
    plant: |lab, planting| {
        let (enter, leave) = (planting.value("enter"), planting.value("leave"));
        let mut is_bad = [false; 2];
        lab.inline(planting, move |it| {
            let state = &mut is_bad[it.side];
            *state = if *state {
                !it.dice.hits(leave)
            } else {
                it.dice.hits(enter)
            };
            match *state {
                true => InlineVerdict::Drop,
                false => InlineVerdict::Pass,
            }
        })
    },
};
