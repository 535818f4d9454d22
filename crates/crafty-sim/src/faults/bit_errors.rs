//! A marginal cable or a dirty optic: bits turn over on the wire.

use super::{Fault, Parameter, PlaceKind};
use crate::link::InlineVerdict;

/// Bytes of the frame check sequence.
const CHECK: usize = 4;

pub static FAULT: Fault = Fault {
    name: "bit_errors",
    parameters: &[Parameter::count("per_gigabit", 20_000, 1_000_000_000)],
    place: PlaceKind::Link,
    doc: "This many bits per billion are flipped: the frame check sequence catches them, so long frames are lost more often than short ones, and no bad checksum reaches a host.",
    plant: |lab, planting| {
        let rate = planting.main() as f64 / 1e9;
        lab.inline(planting, move |it| {
            let bits = (it.frame.bytes.len() + CHECK) as u32 * 8;
            let damaged = 1.0 - power(1.0 - rate, bits);
            if it.dice.hits((damaged * 1e6) as i64) {
                it.frame.fcs_ok = false;
            }
            InlineVerdict::Pass
        })
    },
};

/// `base` to the power of `exponent` by squaring: the same on every machine.
fn power(mut base: f64, mut exponent: u32) -> f64 {
    let mut product = 1.0;
    while exponent > 0 {
        if exponent & 1 == 1 {
            product *= base;
        }
        base *= base;
        exponent >>= 1;
    }
    product
}
