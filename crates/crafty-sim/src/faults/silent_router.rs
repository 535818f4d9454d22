//! Routers that say nothing.

use super::{Fault, PlaceKind};
use crate::router::IcmpErrors;

pub static FAULT: Fault = Fault {
    name: "silent_router",
    parameters: &[],
    place: PlaceKind::Router,
    doc: "Routers send no ICMP errors at all: no hop shows in a trace, and the path's MTU is not told. `@ROUTER` for one router.",
    plant: |lab, planting| {
        lab.change_settings(planting, |settings| settings.icmp.says = IcmpErrors::None)
    },
};
