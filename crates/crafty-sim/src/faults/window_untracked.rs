//! A firewall that tracks windows without their scale.

use super::{Fault, Parameter, PlaceKind};
use crate::link::InlineVerdict;
use crate::tcp;
use std::collections::BTreeMap;

pub static FAULT: Fault = Fault {
    name: "window_untracked",
    parameters: &[Parameter::count("bytes", 8_000, 65_535)],
    place: PlaceKind::Link,
    doc: "Data more than this many bytes after the last acknowledgement is dropped: transfers start, and hang as soon as the window is larger.",
    plant: |lab, planting| {
        let most = planting.main() as u32;
        let mut acknowledged: BTreeMap<tcp::FourTuple, u32> = BTreeMap::new();
        lab.inline(planting, move |it| {
            let Some(segment) = tcp::ObservedSegment::of(&it.frame.bytes) else {
                return InlineVerdict::Pass;
            };
            if segment.has_ack {
                acknowledged.insert(segment.flow.reversed(), segment.acknowledgement);
            }
            let limit = acknowledged.get(&segment.flow);
            let end = segment.sequence.wrapping_add(segment.data as u32);
            match limit {
                Some(limit)
                    if segment.data > 0 && end.wrapping_sub(*limit) as i32 > most as i32 =>
                {
                    InlineVerdict::Drop
                }
                _ => InlineVerdict::Pass,
            }
        })
    },
};
