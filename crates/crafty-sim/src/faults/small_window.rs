//! A server with a small receive buffer.

use super::{Fault, Parameter, PlaceKind};
use crate::link::InlineVerdict;
use crate::tcp;

pub static FAULT: Fault = Fault {
    name: "small_window",
    parameters: &[Parameter::count("bytes", 2_000, 65_535)],
    place: PlaceKind::Host,
    doc: "The host never offers a larger window than this: transfers to it are limited to one window per round trip.",
    plant: |lab, planting| {
        let bytes = planting.main() as u16;
        lab.inline(planting, move |it| {
            tcp::edit(&mut it.frame.bytes, |segment| segment.limit_window(bytes));
            InlineVerdict::Pass
        })
    },
};
