//! A route that was never announced.

use super::{Fault, PlaceKind};

pub static FAULT: Fault = Fault {
    name: "missing_route",
    parameters: &[],
    place: PlaceKind::Router,
    doc: "The router has no route to the network of the scenario's server, and reports it (network unreachable). `@ROUTER`; the far end of the trunk if none is named.",
    plant: |lab, planting| {
        let (node, net) = lab.server_route(planting)?;
        lab.change_route(planting.schedule, node, net, None);
        Ok(())
    },
};
