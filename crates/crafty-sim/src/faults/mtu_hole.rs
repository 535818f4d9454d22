//! A path that takes less than its routers think.

use super::{Fault, Parameter, PlaceKind, Unit};
use crate::link::InlineVerdict;
use crate::packet::{ETHERNET, Head};

pub static FAULT: Fault = Fault {
    name: "mtu_hole",
    parameters: &[Parameter {
        name: "size",
        unit: Unit::Bytes,
        default: 1440,
        least: 68,
        most: 1500,
    }],
    place: PlaceKind::Link,
    doc: "Datagrams longer than this (header included) are lost without an ICMP error, in each direction, whether they may be fragmented or not.",
    plant: |lab, planting| {
        let size = planting.main();
        lab.inline(planting, move |it| {
            match Head::read(it.frame.bytes.get(ETHERNET..).unwrap_or_default()) {
                Ok(head) if head.total as i64 > size => InlineVerdict::Drop,
                _ => InlineVerdict::Pass,
            }
        })
    },
};
