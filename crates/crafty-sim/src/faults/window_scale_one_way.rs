//! A box that takes the window scale out of the answer only.

use super::{Fault, PlaceKind};
use crate::link::InlineVerdict;
use crate::tcp;

pub static FAULT: Fault = Fault {
    name: "window_scale_one_way",
    parameters: &[],
    place: PlaceKind::Link,
    doc: "The window scale option is removed from SYN-ACKs but not from SYNs: one end scales its window, and the other does not know.",
    plant: |lab, planting| {
        lab.inline(planting, |it| {
            tcp::edit(&mut it.frame.bytes, |segment| {
                if segment.accepts() {
                    segment.strip(tcp::WINDOW_SCALE);
                }
            });
            InlineVerdict::Pass
        })
    },
};
