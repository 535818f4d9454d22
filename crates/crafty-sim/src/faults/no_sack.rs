//! A host without selective acknowledgements.

use super::{Fault, PlaceKind};
use crate::link::InlineVerdict;
use crate::tcp;

pub static FAULT: Fault = Fault {
    name: "no_sack",
    parameters: &[],
    place: PlaceKind::Host,
    doc: "The host does not support selective acknowledgement: several losses in one window cost a round trip each.",
    plant: |lab, planting| {
        lab.inline(planting, move |it| {
            tcp::edit(&mut it.frame.bytes, |segment| {
                segment.strip(tcp::SACK_PERMITTED)
            });
            InlineVerdict::Pass
        })
    },
};
