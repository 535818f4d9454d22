//! A modem that saves acknowledgements.

use super::{Fault, Parameter, PlaceKind};
use crate::link::InlineVerdict;
use crate::tcp;

pub static FAULT: Fault = Fault {
    name: "ack_thinning",
    parameters: &[Parameter::count("keep", 8, 1000)],
    place: PlaceKind::Link,
    doc: "Only one in this many pure acknowledgements passes, in each direction.",
    plant: |lab, planting| {
        let keep = planting.main().max(1);
        let mut count = 0;
        lab.inline(planting, move |it| {
            if !tcp::is_pure_ack(&it.frame.bytes) {
                return InlineVerdict::Pass;
            }
            count += 1;
            match count % keep {
                0 => InlineVerdict::Pass,
                _ => InlineVerdict::Drop,
            }
        })
    },
};
