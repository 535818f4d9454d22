//! Storm control with too low a limit.

use super::{Fault, Parameter, PlaceKind};
use crate::link::InlineVerdict;

pub static FAULT: Fault = Fault {
    name: "storm_control",
    parameters: &[Parameter::per_second("rate", 5)],
    place: PlaceKind::Link,
    doc: "This many broadcast frames (ARP, DHCP) pass per second, in each direction; unicast frames all pass.",
    plant: |lab, planting| {
        let rate = planting.main();
        let mut seconds = [(-1, 0); 2];
        lab.inline(planting, move |it| {
            if it.frame.bytes.first() != Some(&0xff) {
                return InlineVerdict::Pass;
            }
            let (second, count) = &mut seconds[it.side];
            let now = it.now.0 / 1_000_000_000;
            if *second != now {
                (*second, *count) = (now, 0);
            }
            *count += 1;
            match *count > rate {
                true => InlineVerdict::Drop,
                false => InlineVerdict::Pass,
            }
        })
    },
};
