//! A box that accepts connections for everybody.

use super::{Fault, PlaceKind};
use crate::link::InlineVerdict;
use crate::tcp;

pub static FAULT: Fault = Fault {
    name: "syn_proxy",
    parameters: &[],
    place: PlaceKind::Link,
    doc: "A proxy on the link accepts every connection, whether the destination exists or not.",
    plant: |lab, planting| {
        lab.inline(planting, |it| match tcp::acceptance(&it.frame.bytes) {
            Some(answer) => {
                it.injected.push((1 - it.side, answer.into()));
                InlineVerdict::Drop
            }
            None => InlineVerdict::Pass,
        })
    },
};
