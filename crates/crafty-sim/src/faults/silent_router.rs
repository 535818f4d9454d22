//! Routers that say nothing.

use super::{Fault, PlaceKind};
use crate::router::IcmpErrors;

pub static FAULT: Fault = Fault {
    name: "silent_router",
    parameters: &[],
    place: PlaceKind::Router,
    doc: "Routers send no ICMP errors at all: traceroute shows no hops, and path MTU discovery fails. `@ROUTER` for one router.",
    plant: |lab, planting| {
        lab.change_settings(planting, |settings| settings.icmp.says = IcmpErrors::None)
    },
};
