//! A box that takes large answers of DNS for an attack.

use super::{Fault, Parameter, PlaceKind};
use crate::filter::Match;
use crate::packet;

pub static FAULT: Fault = Fault {
    name: "large_dns_lost",
    parameters: &[Parameter::size("size", 512)],
    place: PlaceKind::Link,
    doc: "DNS answers over UDP longer than this are dropped.",
    plant: |lab, planting| {
        let of = Match {
            proto: Some(packet::UDP),
            source_ports: Some((53, 53)),
            longer_than: Some(planting.main() as usize),
            ..Match::default()
        };
        lab.filter(planting, of)
    },
};
