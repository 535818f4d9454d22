//! A token bucket that delays.

use super::{Fault, Parameter, PlaceKind};
use crate::link::InlineVerdict;
use crafty_value::{Duration, Time};

pub static FAULT: Fault = Fault {
    name: "shaper",
    parameters: &[
        Parameter::rate("rate", 1_000_000),
        Parameter::time("most", 200),
    ],
    place: PlaceKind::Link,
    doc: "Traffic above this rate is queued, in each direction, and dropped only if it would wait longer than this: legitimate, but slow.",
    plant: |lab, planting| {
        let (rate, most) = (planting.main(), planting.time("most"));
        let mut free = [Time(0); 2];
        lab.inline(planting, move |it| {
            let begin = free[it.side].max(it.now);
            let takes = Duration(it.frame.bytes.len() as i64 * 8_000_000_000 / rate);
            let waits = begin.after(takes).since(it.now);
            if waits > most {
                return InlineVerdict::Drop;
            }
            free[it.side] = begin.after(takes);
            InlineVerdict::Late(waits)
        })
    },
};
