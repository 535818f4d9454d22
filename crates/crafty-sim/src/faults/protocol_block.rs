//! A rule that knows only common protocols.

use super::{Fault, Parameter, PlaceKind};
use crate::filter::Match;

pub static FAULT: Fault = Fault {
    name: "protocol_block",
    parameters: &[Parameter::count("protocol", 50, 255)],
    place: PlaceKind::Link,
    doc: "Datagrams of this IP protocol (50 is ESP, 47 GRE) are dropped.",
    plant: |lab, planting| {
        let of = Match {
            proto: Some(planting.main() as u8),
            ..Match::default()
        };
        lab.filter(planting, of)
    },
};
