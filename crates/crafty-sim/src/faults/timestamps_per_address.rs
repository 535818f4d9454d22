//! A server that wants time stamps to grow for each address.

use super::{Fault, PlaceKind};
use crate::link::InlineVerdict;
use crate::tcp;
use std::collections::BTreeMap;

pub static FAULT: Fault = Fault {
    name: "timestamps_per_address",
    parameters: &[],
    place: PlaceKind::Host,
    doc: "A SYN with a lower time stamp than the last one from the same address is dropped: behind NAT, connections fail at random.",
    plant: |lab, planting| {
        let mut last: BTreeMap<std::net::IpAddr, u32> = BTreeMap::new();
        lab.inline_toward(planting, move |it| {
            let stamp = tcp::timestamp(&it.frame.bytes);
            let (Some(stamp), Some(flow)) = (stamp, tcp::flow(&it.frame.bytes)) else {
                return InlineVerdict::Pass;
            };
            let newest = last.entry(flow.ends[0].0).or_insert(stamp);
            let is_old = (stamp.wrapping_sub(*newest) as i32) < 0;
            if is_old && tcp::is_first_syn(&it.frame.bytes) {
                return InlineVerdict::Drop;
            }
            *newest = stamp;
            InlineVerdict::Pass
        })
    },
};
