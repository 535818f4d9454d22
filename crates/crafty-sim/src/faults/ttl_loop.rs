//! Two routers that think the other knows the way.

use super::Fault;
use crate::router::Hop;

pub static FAULT: Fault = Fault {
    name: "ttl_loop",
    parameter: None,
    doc: "A routing loop: the far router of a link sends back over it whatever should go on, until the time to live is spent. \
          `@A-B` for another link.",
    plant: |lab, planting| {
        let link = lab.link_named(planting.place.unwrap_or(lab.network.trunk))?;
        let [(near, near_port), (far, far_port)] = lab.links[link].ends;
        let Some(back) = lab
            .router(near)
            .map(|near| near.interfaces[near_port].addresses())
        else {
            return Err(format!(
                "`{}` does not join two routers; choose a link such as `{}`",
                lab.links[link].name, lab.network.trunk
            ));
        };
        let Some(far) = lab.router(far) else {
            return Ok(());
        };
        let onward: Vec<_> = far
            .routes
            .rows()
            .filter(|(_, hops)| {
                hops.iter()
                    .all(|hop| hop.gateway.is_some() && hop.port != far_port)
            })
            .map(|row| row.0)
            .collect();
        for net in onward {
            let gateway = back
                .into_iter()
                .find(|it| it.is_ipv4() == net.address().is_ipv4());
            far.routes.replace(
                net,
                Hop {
                    port: far_port,
                    gateway,
                },
            );
        }
        Ok(())
    },
};
