//! A tunnel that takes more hops than it shows.

use super::{Fault, Parameter, PlaceKind};

pub static FAULT: Fault = Fault {
    name: "extra_hops",
    parameters: &[Parameter::count("hops", 20, 200)],
    place: PlaceKind::Router,
    doc: "Each router decrements the TTL by this many more than one: distant hosts cannot be reached. `@ROUTER` for one router.",
    plant: |lab, planting| {
        let hops = planting.main() as u8;
        lab.change_settings(planting, |settings| settings.extra_hops = hops)
    },
};
