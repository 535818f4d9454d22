//! A rule against all of ICMP.

use super::{Fault, PlaceKind};
use crate::filter::Match;
use crate::packet;

pub static FAULT: Fault = Fault {
    name: "icmp_blocked",
    parameters: &[],
    place: PlaceKind::Link,
    doc: "All ICMP is dropped: pings, the errors that traceroute needs, and path MTU reports.",
    plant: |lab, planting| {
        let of = Match {
            proto: Some(packet::ICMP),
            ..Match::default()
        };
        lab.filter(planting, of)
    },
};
