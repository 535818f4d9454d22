//! A router whose errors come from an address of another interface.

use super::{Fault, PlaceKind};
use std::net::{IpAddr, Ipv4Addr};

const SOURCE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 255, 255, 1));

pub static FAULT: Fault = Fault {
    name: "misleading_source",
    parameters: &[],
    place: PlaceKind::Router,
    doc: "Routers send ICMP errors from 10.255.255.1, an address that no interface on the path has. `@ROUTER` for one router.",
    plant: |lab, planting| {
        lab.change_settings(planting, |settings| settings.icmp.source = Some(SOURCE))
    },
};
