//! A firewall that lets no fragments through.

use super::{Fault, PlaceKind};
use crate::link::InlineVerdict;
use crate::packet::{ETHERNET, Head};

pub static FAULT: Fault = Fault {
    name: "fragment_drop",
    parameters: &[],
    place: PlaceKind::Link,
    doc: "Fragments but the first are dropped, each way: large datagrams never become whole, and their destination says so after its time.",
    plant: |lab, planting| {
        lab.inline(planting, move |it| {
            match Head::read(it.frame.bytes.get(ETHERNET..).unwrap_or_default()) {
                Ok(head) if head.offset > 0 => InlineVerdict::Drop,
                _ => InlineVerdict::Pass,
            }
        })
    },
};
