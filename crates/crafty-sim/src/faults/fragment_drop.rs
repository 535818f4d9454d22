//! A firewall that lets no fragments through.

use super::{Fault, PlaceKind};
use crate::link::InlineVerdict;
use crate::packet::{ETHERNET, Head};

pub static FAULT: Fault = Fault {
    name: "fragment_drop",
    parameters: &[],
    place: PlaceKind::Link,
    doc: "All fragments but the first are dropped, in each direction: large datagrams are never reassembled, and their destination reports a reassembly timeout.",
    plant: |lab, planting| {
        lab.inline(planting, move |it| {
            match Head::read(it.frame.bytes.get(ETHERNET..).unwrap_or_default()) {
                Ok(head) if head.offset > 0 => InlineVerdict::Drop,
                _ => InlineVerdict::Pass,
            }
        })
    },
};
