//! A server that thinks for long.

use super::{Fault, Parameter, PlaceKind};
use crate::link::InlineVerdict;
use crate::tcp;

pub static FAULT: Fault = Fault {
    name: "slow_server",
    parameters: &[Parameter::time("time", 300)],
    place: PlaceKind::Host,
    doc: "The host sends TCP data this much later than its acknowledgements: the network is fast, the application is slow.",
    plant: |lab, planting| {
        let time = planting.time("time");
        lab.inline(planting, move |it| {
            match tcp::data_length(&it.frame.bytes) {
                Some(1..) => InlineVerdict::Late(time),
                _ => InlineVerdict::Pass,
            }
        })
    },
};
