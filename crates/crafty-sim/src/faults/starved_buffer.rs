//! A queue of a few packets.

use super::{Fault, Parameter, PlaceKind};
use crate::link::drop_tail_by_packets;

pub static FAULT: Fault = Fault {
    name: "starved_buffer",
    parameters: &[Parameter::count("packets", 4, 10_000)],
    place: PlaceKind::Link,
    doc: "The link queues only this many packets: bursts lose packets even if the average rate is low.",
    plant: |lab, planting| {
        let most = planting.main() as usize;
        lab.change_queue(planting, move |_, _| drop_tail_by_packets(most))
    },
};
