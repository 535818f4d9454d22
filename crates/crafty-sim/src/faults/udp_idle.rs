//! A translator that forgets idle flows of UDP.

use super::{Fault, Parameter, PlaceKind};
use crate::state_table::{StateTable, Tracked};

pub static FAULT: Fault = Fault {
    name: "udp_idle",
    parameters: &[Parameter::time("time", 30_000)],
    place: PlaceKind::Link,
    doc: "A stateful firewall on the link forgets a UDP flow after this time without a datagram; from the far side, only answers of known flows pass.",
    plant: |lab, planting| {
        let time = planting.time("time");
        let mut states = StateTable::new(time, StateTable::MANY);
        lab.inline(planting, move |it| {
            states.judge(it.now, it.side, &it.frame.bytes, Tracked::Udp)
        })
    },
};
