//! A boundary that clears the marks of congestion.

use super::{Fault, PlaceKind};
use crate::link::InlineVerdict;
use crate::packet::{self, ETHERNET};

pub static FAULT: Fault = Fault {
    name: "ecn_bleach",
    parameters: &[],
    place: PlaceKind::Link,
    doc: "The ECN bits are cleared in every datagram, in each direction.",
    plant: |lab, planting| {
        lab.inline(planting, move |it| {
            let datagram = it.frame.bytes.get_mut(ETHERNET..).unwrap_or_default();
            if let Some(tos) = packet::tos(datagram).filter(|tos| tos & 3 != 0) {
                packet::set_tos(datagram, tos & 0xfc);
            }
            InlineVerdict::Pass
        })
    },
};
