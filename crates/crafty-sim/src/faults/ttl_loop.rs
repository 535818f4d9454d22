//! Two routers that think the other knows the way.

use super::{Fault, PlaceKind};
use crate::error::LabError;
use crate::lab::Lab;
use crate::node::NodeId;
use crafty_value::Net;

pub static FAULT: Fault = Fault {
    name: "ttl_loop",
    parameters: &[],
    place: PlaceKind::Link,
    doc: "A routing loop: the far router of a link sends packets back instead of forwarding them, until their TTL expires. `@A-B` for another link.",
    plant: |lab, planting| {
        let (link, _) = lab.directions(planting)?;
        let [(near, _), (far, far_port)] = lab.links[link].ends;
        if lab.router(near).is_none() || lab.router(far).is_none() {
            return Err(LabError::Impossible(format!(
                "`{}` does not join two routers; choose a link such as `{}`",
                lab.links[link].name, lab.scenario.trunk
            )));
        }
        for net in onward(lab, far, far_port) {
            let back = lab.hop_to(far, near, net.address().is_ipv4());
            let hops = back.into_iter().collect();
            lab.change_route(planting.schedule, far, net, Some(hops));
        }
        Ok(())
    },
};

/// The nets that a router reaches through gateways, and not over `port`.
fn onward(lab: &mut Lab, node: NodeId, port: usize) -> Vec<Net> {
    let Some(router) = lab.router(node) else {
        return Vec::new();
    };
    let rows = router.routes.rows();
    rows.filter(|(_, hops)| {
        hops.iter()
            .all(|hop| hop.gateway.is_some() && hop.port != port)
    })
    .map(|row| row.0)
    .collect()
}
