//! A name server that does not answer.

use super::{Fault, PlaceKind};
use crate::filter::Match;
use crate::packet;

pub static FAULT: Fault = Fault {
    name: "dead_resolver",
    parameters: &[],
    place: PlaceKind::Host,
    doc: "Queries to the host are dropped: clients that ask it first wait for a timeout.",
    plant: |lab, planting| {
        let of = Match {
            proto: Some(packet::UDP),
            destination_ports: Some((53, 53)),
            ..Match::default()
        };
        lab.filter_toward(planting, of)
    },
};
