//! A host without time for its network.

use super::{Fault, Parameter, PlaceKind};
use crate::link::InlineVerdict;
use crafty_value::Duration;

pub static FAULT: Fault = Fault {
    name: "overloaded_host",
    parameters: &[Parameter::time("spread", 80)],
    place: PlaceKind::Host,
    doc: "The host sends with a random delay up to this, in order; its neighbours answer at once.",
    plant: |lab, planting| {
        let spread = planting.main().unsigned_abs();
        let mut last = 0;
        lab.inline(planting, move |it| {
            let at = it.now.0 + it.dice.below(spread + 1) as i64;
            last = at.max(last);
            InlineVerdict::Late(Duration(last - it.now.0))
        })
    },
};
