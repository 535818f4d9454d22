//! A stray route to half of a net.

use super::{Fault, PlaceKind};
use crafty_value::Net;

pub static FAULT: Fault = Fault {
    name: "more_specific",
    parameters: &[],
    place: PlaceKind::Router,
    doc: "The router discards packets to the lower half of the network of the scenario's server: one address works and its neighbour does not. `@ROUTER`; the far end of the trunk if none is named.",
    plant: |lab, planting| {
        let (node, net) = lab.server_route(planting)?;
        if let Some(half) = Net::new(net.address(), net.prefix() + 1) {
            lab.change_route(planting.schedule, node, half, Some(Vec::new()));
        }
        Ok(())
    },
};
