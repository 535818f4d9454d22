//! A firewall that shifts sequence numbers, and forgets selective acknowledgements.

use super::{Fault, PlaceKind};
use crate::link::InlineVerdict;
use crate::tcp;

/// By how much.
const SHIFT: u32 = 0x1234_5678;

pub static FAULT: Fault = Fault {
    name: "sequence_shifted",
    parameters: &[],
    place: PlaceKind::Link,
    doc: "Sequence numbers are shifted on one side of the link and acknowledgements shifted back, but SACK blocks are not: they name bytes that were never sent.",
    plant: |lab, planting| {
        lab.inline(planting, |it| {
            let side = it.side;
            tcp::edit(&mut it.frame.bytes, |segment| match side {
                0 => segment.shift_sequence(SHIFT),
                _ => segment.shift_acknowledgement(SHIFT.wrapping_neg()),
            });
            InlineVerdict::Pass
        })
    },
};
