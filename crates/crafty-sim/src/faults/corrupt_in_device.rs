//! Memory of a router that forgets a bit.

use super::{Fault, Impairment, Parameter, Unit, Verdict};
use crate::packet::{ETHERNET, Head};

pub static FAULT: Fault = Fault {
    name: "corrupt_in_device",
    parameter: Some(Parameter {
        name: "share",
        unit: Unit::Percent,
        default: 20_000,
        least: 0,
        most: 1_000_000,
    }),
    doc: "In this share of the datagrams one bit behind the IP header is turned over inside a router, each way: the frame is whole, \
          the transport checksum is not.",
    plant: |lab, planting| {
        lab.impair(planting, |this, frame| {
            if this.dice.hits(this.value) {
                turn_a_bit(this, frame);
            }
            Verdict::Pass
        })
    },
};

fn turn_a_bit(this: &mut Impairment, frame: &mut [u8]) {
    let Ok(head) = Head::read(frame.get(ETHERNET..).unwrap_or_default()) else {
        return;
    };
    let bit = this
        .dice
        .below(head.total.saturating_sub(head.upper) as u64 * 8) as usize;
    if let Some(octet) = frame.get_mut(ETHERNET + head.upper + bit / 8) {
        *octet ^= 1 << (bit % 8);
    }
}
