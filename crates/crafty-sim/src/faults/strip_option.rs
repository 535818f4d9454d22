//! A box that takes an option out of TCP.

use super::{Fault, Parameter, PlaceKind};
use crate::link::InlineVerdict;
use crate::tcp;

pub static FAULT: Fault = Fault {
    name: "strip_option",
    parameters: &[Parameter::count("option", 3, 254)],
    place: PlaceKind::Link,
    doc: "The TCP option of this kind (3 is window scale, 4 SACK permitted, 8 time stamps) is removed from every segment, in each direction.",
    plant: |lab, planting| {
        let kind = planting.main() as u8;
        lab.inline(planting, move |it| {
            tcp::edit(&mut it.frame.bytes, |segment| segment.strip(kind));
            InlineVerdict::Pass
        })
    },
};
