//! A host that still knows the old gateway.

use super::{Fault, PlaceKind};
use crate::link::InlineVerdict;
use crate::packet;
use crafty_value::Mac;

/// The link address of the router that was there before.
const OLD: Mac = Mac([0x02, 0x1a, 0xb0, 0xff, 0xff, 0xfe]);

pub static FAULT: Fault = Fault {
    name: "stale_neighbour",
    parameters: &[],
    place: PlaceKind::Host,
    doc: "The host has a stale link address for its router: nothing that it sends beyond the segment arrives.",
    plant: |lab, planting| {
        lab.inline(planting, |it| {
            let frame = &mut it.frame.bytes;
            let leaves = packet::ethernet(frame)
                .is_some_and(|(_, to, kind)| !to.is_group() && kind != packet::TYPE_ARP);
            if leaves {
                frame[..6].copy_from_slice(&OLD.0);
            }
            InlineVerdict::Pass
        })
    },
};
