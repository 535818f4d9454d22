//! A server whose list of half-open connections is full.

use super::{Fault, Parameter, PlaceKind};
use crate::link::InlineVerdict;
use crate::tcp;

pub static FAULT: Fault = Fault {
    name: "backlog_full",
    parameters: &[Parameter::per_second("rate", 3)],
    place: PlaceKind::Host,
    doc: "The host accepts this many connections a second; further SYNs are dropped and retransmitted.",
    plant: |lab, planting| {
        let rate = planting.main();
        let mut second = (-1, 0);
        lab.inline_toward(planting, move |it| {
            if !tcp::is_first_syn(&it.frame.bytes) {
                return InlineVerdict::Pass;
            }
            let now = it.now.0 / 1_000_000_000;
            if second.0 != now {
                second = (now, 0);
            }
            second.1 += 1;
            match second.1 > rate {
                true => InlineVerdict::Drop,
                false => InlineVerdict::Pass,
            }
        })
    },
};
