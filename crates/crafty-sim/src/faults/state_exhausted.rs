//! A box whose table of connections is full.

use super::{Fault, Parameter, PlaceKind};
use crate::state_table::{StateTable, Tracked};
use crafty_value::Duration;

pub static FAULT: Fault = Fault {
    name: "state_exhausted",
    parameters: &[Parameter::count("connections", 20, 1_000_000)],
    place: PlaceKind::Link,
    doc: "A stateful firewall on the link tracks this many TCP connections; existing ones continue, new ones get no answer.",
    plant: |lab, planting| {
        let many = planting.main() as usize;
        let mut states = StateTable::new(Duration::seconds(120), many);
        lab.inline(planting, move |it| {
            states.judge(it.now, it.side, &it.frame.bytes, Tracked::Tcp)
        })
    },
};
