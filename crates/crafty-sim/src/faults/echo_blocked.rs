//! A rule against pings.

use super::{Fault, PlaceKind};
use crate::filter::Match;
use crate::packet;

pub static FAULT: Fault = Fault {
    name: "echo_blocked",
    parameters: &[],
    place: PlaceKind::Link,
    doc: "Echo requests are dropped: a host that does not answer pings may work all the same.",
    plant: |lab, planting| {
        let of = Match {
            proto: Some(packet::ICMP),
            icmp: Some((8, 0)),
            ..Match::default()
        };
        lab.filter(planting, of)
    },
};
