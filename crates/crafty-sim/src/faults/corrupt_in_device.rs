//! Memory of a device that forgets a bit.

use super::{Fault, Parameter, PlaceKind};
use crate::link::{InlineVerdict, Passing};
use crate::packet::{ETHERNET, Head};

pub static FAULT: Fault = Fault {
    name: "corrupt_in_device",
    parameters: &[Parameter::share(20000)],
    place: PlaceKind::Link,
    doc: "A router flips one bit after the IP header in this share of the datagrams, in each direction: the frame is valid, the transport checksum is not.",
    plant: |lab, planting| {
        let share = planting.main();
        lab.inline(planting, move |it| {
            if it.dice.hits(share) {
                turn_a_bit(it);
            }
            InlineVerdict::Pass
        })
    },
};

fn turn_a_bit(it: &mut Passing<'_>) {
    let frame = &mut it.frame.bytes;
    let Ok(head) = Head::read(frame.get(ETHERNET..).unwrap_or_default()) else {
        return;
    };
    let bits = head.total.saturating_sub(head.upper) as u64 * 8;
    let bit = it.dice.below(bits) as usize;
    if let Some(byte) = frame.get_mut(ETHERNET + head.upper + bit / 8) {
        *byte ^= 1 << (bit % 8);
    }
}
