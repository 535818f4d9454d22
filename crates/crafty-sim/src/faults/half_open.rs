//! A server that forgot its connections.

use super::{Fault, Parameter, PlaceKind};
use crate::link::InlineVerdict;
use crate::tcp;
use std::collections::BTreeSet;

pub static FAULT: Fault = Fault {
    name: "half_open",
    parameters: &[Parameter::time("at", 5_000)],
    place: PlaceKind::Host,
    doc: "At this time the host forgets its connections, and its resets are filtered: established connections hang, new ones work.",
    plant: |lab, planting| {
        let at = planting.main();
        let mut young = BTreeSet::new();
        lab.inline_toward(planting, move |it| {
            let Some(flow) = tcp::flow(&it.frame.bytes) else {
                return InlineVerdict::Pass;
            };
            if it.now.0 < at {
                return InlineVerdict::Pass;
            }
            if tcp::is_first_syn(&it.frame.bytes) {
                young.insert(flow);
            }
            match young.contains(&flow) {
                true => InlineVerdict::Pass,
                false => InlineVerdict::Drop,
            }
        })
    },
};
