//! Damage with the checksum made good again, as by a faulty translator.

use super::{Fault, Parameter, PlaceKind};
use crate::link::InlineVerdict;
use crate::packet::{self, ETHERNET, Head};

pub static FAULT: Fault = Fault {
    name: "silent_corruption",
    parameters: &[Parameter::share(20_000)],
    place: PlaceKind::Link,
    doc: "In this share of the datagrams with data the last byte is changed and the checksum recomputed: only the application can notice.",
    plant: |lab, planting| {
        let share = planting.main();
        lab.inline(planting, move |it| {
            if it.dice.hits(share) {
                alter(&mut it.frame.bytes);
            }
            InlineVerdict::Pass
        })
    },
};

fn alter(frame: &mut [u8]) {
    let datagram = frame.get_mut(ETHERNET..).unwrap_or_default();
    let Ok(head) = Head::read(datagram) else {
        return;
    };
    // Headers stay whole: only what is behind the longest of TCP is data for certain.
    if head.offset == 0 && !head.more && head.total > head.upper + 60 {
        datagram[head.total - 1] ^= 0x20;
        packet::seal_upper(datagram, &head);
    }
}
