//! A rule that drops one port.

use super::{Fault, Parameter, PlaceKind};
use crate::filter::Match;
use crate::packet;

pub static FAULT: Fault = Fault {
    name: "port_filter",
    parameters: &[Parameter::count("port", 80, 65_535)],
    place: PlaceKind::Link,
    doc: "SYNs to this TCP port are silently dropped on the link.",
    plant: |lab, planting| {
        let port = planting.main() as u16;
        let of = Match {
            proto: Some(packet::TCP),
            destination_ports: Some((port, port)),
            ..Match::default()
        };
        lab.filter(planting, of)
    },
};
