//! Routers that complain less often than they have reason to.

use super::{Fault, Parameter, Unit};
use crafty_value::Duration;

pub static FAULT: Fault = Fault {
    name: "rate_limit_icmp",
    parameter: Some(Parameter {
        name: "rate",
        unit: Unit::PerSecond,
        default: 1,
        least: 1,
        most: 1_000_000,
    }),
    doc: "Routers send at most this many ICMP errors a second, beyond a burst of six: hops seem to be missing. `@ROUTER` for one router.",
    plant: |lab, planting| {
        lab.each_router(planting, |router, rate| {
            router.icmp_interval = Some(Duration(1_000_000_000 / rate.max(1)))
        })
    },
};
