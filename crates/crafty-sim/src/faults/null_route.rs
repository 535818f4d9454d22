//! A route that leads nowhere.

use super::{Fault, PlaceKind};

pub static FAULT: Fault = Fault {
    name: "null_route",
    parameters: &[],
    place: PlaceKind::Router,
    doc: "The router silently discards packets to the network of the scenario's server. `@ROUTER`; the far end of the trunk if none is named.",
    plant: |lab, planting| {
        let (node, net) = lab.server_route(planting)?;
        lab.change_route(planting.schedule, node, net, Some(Vec::new()));
        Ok(())
    },
};
