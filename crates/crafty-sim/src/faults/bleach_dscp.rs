//! A boundary that rewrites the code point.

use super::{Fault, Parameter, PlaceKind};
use crate::link::InlineVerdict;
use crate::packet::{self, ETHERNET};

pub static FAULT: Fault = Fault {
    name: "bleach_dscp",
    parameters: &[Parameter::count("dscp", 0, 63)],
    place: PlaceKind::Link,
    doc: "The DSCP of every datagram is set to this value, in each direction; ECN bits stay.",
    plant: |lab, planting| {
        let dscp = planting.main() as u8;
        lab.inline(planting, move |it| {
            let datagram = it.frame.bytes.get_mut(ETHERNET..).unwrap_or_default();
            if let Some(tos) = packet::tos(datagram) {
                packet::set_tos(datagram, dscp << 2 | tos & 3);
            }
            InlineVerdict::Pass
        })
    },
};
