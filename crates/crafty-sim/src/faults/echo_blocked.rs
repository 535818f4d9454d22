//! A rule against pings.

use super::{Fault, PlaceKind};
use crate::filter::Match;
use crate::packet;

pub static FAULT: Fault = Fault {
    name: "echo_blocked",
    parameters: &[],
    place: PlaceKind::Link,
    doc: "Echo requests are dropped: what does not ping may well work.",
    plant: |lab, planting| {
        let of = Match {
            proto: Some(packet::ICMP),
            icmp: Some((8, 0)),
            ..Match::default()
        };
        lab.filter(planting, of)
    },
};
