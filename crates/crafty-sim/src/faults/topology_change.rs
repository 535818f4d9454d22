//! A port without port-fast, and somebody who plugs in.

use super::{Fault, Parameter, PlaceKind};
use crate::node::Node;
use crate::schedule::Schedule;
use crafty_value::Duration;

pub static FAULT: Fault = Fault {
    name: "topology_change",
    parameters: &[Parameter::time("period", 90_000)],
    place: PlaceKind::Switch,
    doc: "Once in each period the ports of a switch listen and learn for thirty seconds, during which nothing passes. Needs switches with a spanning tree.",
    plant: |lab, planting| {
        let switches = lab.switches_of(planting)?;
        let period = planting.time("period");
        let schedule = Schedule {
            from: Duration::seconds(10),
            every: Some(period),
            during: Duration(period.0 / 2),
            ..planting.schedule
        };
        lab.change(schedule, move |lab, is_on| {
            let now = lab.now();
            for node in switches.iter().filter(|_| is_on) {
                let ports = lab.elements[*node].ports.len();
                if let Node::Station(station) = &mut lab.elements[*node].node
                    && let Some(switch) = station.as_switch()
                {
                    (0..ports).for_each(|port| switch.restart(now, port));
                }
                lab.set_alarm(*node);
            }
        });
        Ok(())
    },
};
