//! A rule that refuses one port, and says so.

use super::{Fault, Parameter, PlaceKind};
use crate::filter::{Action, Filter, Match};
use crate::packet;

pub static FAULT: Fault = Fault {
    name: "prohibited_port",
    parameters: &[Parameter::count("port", 80, 65_535)],
    place: PlaceKind::Router,
    doc: "Routers reject packets to this TCP port: communication administratively prohibited. `@ROUTER` for one router.",
    plant: |lab, planting| {
        let port = planting.main() as u16;
        lab.change_settings(planting, |settings| {
            settings.filters.push(Filter {
                of: Match {
                    proto: Some(packet::TCP),
                    destination_ports: Some((port, port)),
                    ..Match::default()
                },
                action: Action::Prohibit,
            });
        })
    },
};
