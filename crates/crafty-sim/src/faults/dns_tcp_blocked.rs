//! A rule that forgot that DNS speaks TCP too.

use super::{Fault, PlaceKind};
use crate::filter::Match;
use crate::packet;

pub static FAULT: Fault = Fault {
    name: "dns_tcp_blocked",
    parameters: &[],
    place: PlaceKind::Link,
    doc: "TCP to port 53 is dropped: answers that do not fit into a datagram never arrive.",
    plant: |lab, planting| {
        let of = Match {
            proto: Some(packet::TCP),
            destination_ports: Some((53, 53)),
            ..Match::default()
        };
        lab.filter(planting, of)
    },
};
