//! Routers that complain less often than they have reason to.

use super::{Fault, Parameter, PlaceKind, Unit};
use crafty_value::Duration;

pub static FAULT: Fault = Fault {
    name: "rate_limit_icmp",
    parameters: &[Parameter {
        name: "rate",
        unit: Unit::PerSecond,
        default: 1,
        least: 1,
        most: 1_000_000,
    }],
    place: PlaceKind::Router,
    doc: "Routers send at most this many ICMP errors a second, after a burst of six: hops seem to be missing. `@ROUTER` for one router.",
    plant: |lab, planting| {
        let interval = Duration(1_000_000_000 / planting.main().max(1));
        lab.change_settings(planting, |settings| settings.icmp.interval = Some(interval))
    },
};
