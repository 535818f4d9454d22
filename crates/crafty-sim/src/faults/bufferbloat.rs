//! A slow link with a long queue.

use super::{Fault, Parameter, Unit};

/// Bits a second of the slow link.
const RATE: i64 = 2_000_000;

pub static FAULT: Fault = Fault {
    name: "bufferbloat",
    parameter: Some(Parameter {
        name: "queue",
        unit: Unit::Time,
        default: 800_000_000,
        least: 1_000_000,
        most: 10_000_000_000,
    }),
    doc: "A link of 2 Mbit/s whose queue holds this much time's worth of frames: short when idle, long under load.",
    plant: |lab, planting| {
        let link = lab.link_named(planting.place.unwrap_or(lab.network.trunk))?;
        let medium = &mut lab.links[link].medium;
        medium.rate = RATE;
        medium.queue = RATE / 8 * (planting.value / 1_000_000) / 1000;
        Ok(())
    },
};
