//! A box that rewrites the segment size.

use super::{Fault, Parameter, PlaceKind};
use crate::link::InlineVerdict;
use crate::tcp;

pub static FAULT: Fault = Fault {
    name: "mss_rewritten",
    parameters: &[Parameter::count("size", 536, 65_535)],
    place: PlaceKind::Link,
    doc: "The MSS that either end announces is rewritten to this value.",
    plant: |lab, planting| {
        let size = planting.main() as u16;
        lab.inline(planting, move |it| {
            tcp::edit(&mut it.frame.bytes, |segment| segment.set_mss(size));
            InlineVerdict::Pass
        })
    },
};
