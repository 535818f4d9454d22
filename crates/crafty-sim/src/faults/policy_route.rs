//! A policy that sends one port another way.

use super::{Fault, Parameter, PlaceKind};
use crate::filter::Match;
use crate::link::InlineVerdict;
use crate::packet;
use crate::tcp;

pub static FAULT: Fault = Fault {
    name: "policy_route",
    parameters: &[
        Parameter::count("port", 443, 65_535),
        Parameter::time("difference", 40),
    ],
    place: PlaceKind::Link,
    doc: "TCP to this port takes one of the equal paths (`detour` of the scenario) with this much extra delay; other traffic is unchanged.",
    plant: |lab, planting| {
        let port = planting.main() as u16;
        lab.policy_toward_detour(
            planting,
            Match {
                proto: Some(packet::TCP),
                destination_ports: Some((port, port)),
                ..Match::default()
            },
        )?;
        let time = planting.time("difference");
        let detour = planting.at(&lab.scenario.detour);
        lab.inline(&detour, move |it| match tcp::flow(&it.frame.bytes) {
            Some(flow) if flow.ends[1].1 == port => InlineVerdict::Late(time),
            _ => InlineVerdict::Pass,
        })
    },
};
