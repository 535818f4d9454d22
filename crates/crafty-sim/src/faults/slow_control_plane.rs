//! A router that is slow to complain, and quick to forward.

use super::{Fault, Parameter, PlaceKind};

pub static FAULT: Fault = Fault {
    name: "slow_control_plane",
    parameters: &[Parameter::time("time", 300)],
    place: PlaceKind::Router,
    doc: "Routers send ICMP errors with this much delay; forwarded packets are not delayed. `@ROUTER` for one router.",
    plant: |lab, planting| {
        let time = planting.time("time");
        lab.change_settings(planting, |settings| settings.icmp.delay = time)
    },
};
