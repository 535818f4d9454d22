//! No route back.

use super::{Fault, PlaceKind};

pub static FAULT: Fault = Fault {
    name: "missing_return",
    parameters: &[],
    place: PlaceKind::Router,
    doc: "The router nearest to the scenario's server has no route to the first portal's network: requests arrive, answers do not. `@ROUTER` for another router.",
    plant: |lab, planting| {
        let (node, net) = lab.return_route(planting)?;
        lab.change_route(planting.schedule, node, net, Some(Vec::new()));
        Ok(())
    },
};
