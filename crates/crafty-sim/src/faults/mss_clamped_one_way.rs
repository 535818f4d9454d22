//! A clamp of the segment size that looks one way only, before a path that takes less.

use super::{Fault, Parameter, PlaceKind};
use crate::link::InlineVerdict;
use crate::packet::{ETHERNET, Head};
use crate::tcp;

pub static FAULT: Fault = Fault {
    name: "mss_clamped_one_way",
    parameters: &[Parameter::size("size", 1400)],
    place: PlaceKind::Link,
    doc: "Datagrams longer than this are lost, and the MSS is clamped to match only in SYNs, not in SYN-ACKs: one direction works, the other hangs.",
    plant: |lab, planting| {
        let size = planting.main();
        lab.inline(planting, move |it| {
            tcp::edit(&mut it.frame.bytes, |segment| {
                if !segment.accepts() {
                    segment.clamp_mss(size as u16 - 40);
                }
            });
            match Head::read(it.frame.bytes.get(ETHERNET..).unwrap_or_default()) {
                Ok(head) if head.total as i64 > size => InlineVerdict::Drop,
                _ => InlineVerdict::Pass,
            }
        })
    },
};
