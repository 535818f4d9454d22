//! An application that does not read.

use super::{Fault, Parameter, PlaceKind};
use crate::link::InlineVerdict;
use crate::tcp;

pub static FAULT: Fault = Fault {
    name: "slow_reader",
    parameters: &[
        Parameter::time("time", 2_000),
        Parameter::time("period", 4_000),
    ],
    place: PlaceKind::Host,
    doc: "For this part of each period the host offers a zero window: transfers to it stop and start.",
    plant: |lab, planting| {
        let (time, period) = (planting.main(), planting.value("period").max(1));
        lab.inline(planting, move |it| {
            if it.now.0.rem_euclid(period) < time {
                tcp::edit(&mut it.frame.bytes, |segment| segment.limit_window(0));
            }
            InlineVerdict::Pass
        })
    },
};
