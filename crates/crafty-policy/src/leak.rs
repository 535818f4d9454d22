//! Bits that received data can choose of what is sent: one calculation, for the reviewer before a
//! run and for the gate during it.
//!
//! Two kinds are added up. A *reaction* is a send that depends on an event: it tells by which place
//! sent, in which slot of time, and by what the event chose of its bytes. A *declassification* is a
//! place at which received content becomes an event: it tells as much as it has outcomes.

use crate::Policy;
use crafty_value::Duration;

/// Time that an observer can tell apart: by when a reaction is sent.
pub const SLOT: Duration = Duration(1_000);

/// Bits of declassification that a program may have silently in its permissions.
pub const UNDECLARED: u64 = 64;

/// Thousandths of a bit that one of so many equal outcomes tells, rounded up.
pub fn millibits(outcomes: u64) -> u64 {
    if outcomes <= 1 {
        return 0;
    }
    let whole = u64::from(outcomes.ilog2());
    if outcomes.is_power_of_two() {
        return whole * 1000;
    }
    // The binary digits of the fraction, by squaring a number of 1.0..2.0 with 31 digits.
    let mut x = ((u128::from(outcomes) << 31) >> whole) as u64;
    let mut fraction = 0u64;
    for _ in 0..16 {
        x = ((u128::from(x) * u128::from(x)) >> 31) as u64;
        let digit = x >> 32;
        fraction = (fraction << 1) | digit;
        x >>= digit;
    }
    whole * 1000 + (fraction + 1).saturating_mul(1000).div_ceil(1 << 16)
}

/// Whole bits, rounded up.
pub const fn whole_bits(millibits: u64) -> u64 {
    millibits.div_ceil(1000)
}

/// Thousandths of a bit as a decimal number with one digit.
pub fn decimal(millibits: u64) -> alloc::string::String {
    let tenths = millibits.div_ceil(100);
    alloc::format!("{}.{}", tenths / 10, tenths % 10)
}

/// Bits that one reaction tells, at most: which of `sites` places sent, in which of `slots` (or not
/// at all), and the bits of the frame that events chose.
pub fn reaction_bits(slots: u64, sites: u32, chosen: u64) -> u64 {
    let ways = slots.max(1).saturating_mul(u64::from(sites.max(1)));
    // The bits of n are at least log2(1 + n), and whole.
    u64::from(u64::BITS - ways.leading_zeros()).saturating_add(chosen)
}

/// Slots of a span of time, the one that has begun included.
pub fn slots(span: Duration) -> u64 {
    (span.0.max(0) / SLOT.0) as u64 + 1
}

/// Bits of declassification that a policy allows under `exfiltration: false`.
pub fn declassification_limit(policy: &Policy) -> u64 {
    match policy.max_leak_bits {
        u64::MAX => UNDECLARED,
        declared => declared,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_rounded_up_and_close() {
        for outcomes in (1..5_000).chain([65_535, 65_537, 1 << 40, u64::MAX]) {
            let exact = (outcomes as f64).log2() * 1000.0;
            let found = millibits(outcomes) as f64;
            assert!(
                found >= exact - 1e-6 && found <= exact + 1.1,
                "{outcomes}: {found} for {exact}"
            );
        }
        assert_eq!(
            [millibits(3), millibits(256), millibits(0)],
            [1585, 8000, 0]
        );
        assert_eq!(decimal(1585), "1.6");
    }

    #[test]
    fn a_reaction_tells_its_slot_its_site_and_what_was_chosen() {
        assert_eq!(reaction_bits(1, 1, 0), 1);
        assert_eq!(reaction_bits(100, 4, 0), 9);
        assert_eq!(reaction_bits(100, 4, 16), 25);
        assert_eq!(reaction_bits(u64::MAX, 9, u64::MAX), u64::MAX);
    }
}
