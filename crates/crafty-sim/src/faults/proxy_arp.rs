//! A router that answers ARP for everything.

use super::{Fault, PlaceKind};

pub static FAULT: Fault = Fault {
    name: "proxy_arp",
    parameters: &[],
    place: PlaceKind::Router,
    doc: "Routers answer ARP for every address, so that new hosts believe theirs to be in use. `@ROUTER` for one router.",
    plant: |lab, planting| lab.change_settings(planting, |settings| settings.proxy_arp = true),
};
