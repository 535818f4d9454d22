//! A translator that forgets idle connections of TCP.

use super::{Fault, Parameter, PlaceKind};
use crate::state_table::{StateTable, Tracked};

pub static FAULT: Fault = Fault {
    name: "nat_idle",
    parameters: &[Parameter::time("time", 20_000)],
    place: PlaceKind::Link,
    doc: "A stateful firewall on the link forgets a TCP connection after this time without a segment; segments of unknown connections are dropped silently.",
    plant: |lab, planting| {
        let time = planting.time("time");
        let mut states = StateTable::new(time, StateTable::MANY);
        lab.inline(planting, move |it| {
            states.judge(it.now, it.side, &it.frame.bytes, Tracked::Tcp)
        })
    },
};
