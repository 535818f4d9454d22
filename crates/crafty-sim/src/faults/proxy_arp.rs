//! A router that answers ARP for everything.

use super::{Fault, PlaceKind};

pub static FAULT: Fault = Fault {
    name: "proxy_arp",
    parameters: &[],
    place: PlaceKind::Router,
    doc: "Routers answer ARP requests for every address, so new hosts conclude that their address is in use. `@ROUTER` for one router.",
    plant: |lab, planting| lab.change_settings(planting, |settings| settings.proxy_arp = true),
};
