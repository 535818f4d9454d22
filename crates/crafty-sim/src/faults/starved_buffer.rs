//! A queue of a few packets.

use super::{Fault, Parameter, PlaceKind};
use crate::link::drop_tail_by_packets;

pub static FAULT: Fault = Fault {
    name: "starved_buffer",
    parameters: &[Parameter::count("packets", 4, 10_000)],
    place: PlaceKind::Link,
    doc: "The link queues this many packets only: bursts are cut, whatever the average.",
    plant: |lab, planting| {
        let most = planting.main() as usize;
        lab.change_queue(planting, move |_, _| drop_tail_by_packets(most))
    },
};
