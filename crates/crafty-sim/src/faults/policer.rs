//! A token bucket that drops.

use super::{Fault, Parameter, PlaceKind};
use crate::link::InlineVerdict;
use crate::token_bucket::TokenBucket;

pub static FAULT: Fault = Fault {
    name: "policer",
    parameters: &[
        Parameter::rate("rate", 1_000_000),
        Parameter::size("burst", 9_000),
    ],
    place: PlaceKind::Link,
    doc: "Traffic above this rate is dropped after a burst, in each direction: no delay, no queue.",
    plant: |lab, planting| {
        let mut buckets = [TokenBucket::new(planting.main(), planting.value("burst")); 2];
        lab.inline(planting, move |it| {
            match buckets[it.side].take(it.now, it.frame.bytes.len()) {
                true => InlineVerdict::Pass,
                false => InlineVerdict::Drop,
            }
        })
    },
};
