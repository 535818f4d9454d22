//! The map of a network, as text: what there is, before any fault.

use crate::build::Built;
use crate::link::LinkProperties;
use crate::node::Node;
use crate::router::{Hop, Router, RouterInterface};
use crate::scenario::{HostRow, RouterRow, Scenario};
use std::fmt::Write;

/// Draws the map: segments, routers with their routes, links, hosts and portals, a line each.
pub(crate) fn map(scenario: &Scenario, built: &Built) -> String {
    let mut text = format!("network {}: {}\n", scenario.name, scenario.doc);
    for segment in &scenario.segments {
        let nets = [
            format!("{}/{}", segment.v4.0, segment.v4.1),
            format!("{}/{}", segment.v6.0, segment.v6.1),
        ];
        line(
            &mut text,
            &format!("segment {} {}", segment.name, nets.join(" ")),
        );
    }
    for link in &built.links {
        let shown = medium(&link.ways[0].medium);
        line(&mut text, &format!("link {} {shown}", link.name));
    }
    for row in &scenario.routers {
        router(&mut text, row, built);
    }
    scenario.hosts.iter().for_each(|row| host(&mut text, row));
    for portal in &scenario.portals {
        line(
            &mut text,
            &format!(
                "portal {} {} {}: {}",
                portal.name, portal.v4, portal.v6, portal.doc
            ),
        );
    }
    text
}

fn line(text: &mut String, what: &str) {
    text.push_str(what);
    text.push('\n');
}

fn medium(medium: &LinkProperties) -> String {
    format!(
        "{} Mbit/s, delay {}, queue {} bytes, mtu {}",
        medium.rate / 1_000_000,
        medium.delay,
        medium.queue,
        medium.mtu
    )
}

fn router(text: &mut String, row: &RouterRow, built: &Built) {
    let Some(element) = built
        .elements
        .iter()
        .find(|element| element.name == row.name)
    else {
        return;
    };
    let Node::Router(router) = &element.node else {
        return;
    };
    line(text, &format!("router {}", row.name));
    for (interface, (link, _)) in router.interfaces.iter().zip(&element.ports) {
        line(
            text,
            &format!("  on {} {}", built.links[*link].name, addresses(interface)),
        );
    }
    routes(text, router);
}

fn addresses(interface: &RouterInterface) -> String {
    format!(
        "{}/{} {}/{} {} {}",
        interface.v4.0,
        interface.v4.1,
        interface.v6.0,
        interface.v6.1,
        interface.link_local,
        interface.mac
    )
}

fn routes(text: &mut String, router: &Router) {
    for (net, hops) in router
        .routes
        .rows()
        .filter(|(_, hops)| hops.iter().all(|hop| hop.gateway.is_some()))
    {
        let ways: Vec<String> = hops
            .iter()
            .filter_map(|Hop { gateway, .. }| gateway.map(|it| it.to_string()))
            .collect();
        line(text, &format!("  route {net} via {}", ways.join(" or ")));
    }
}

fn host(text: &mut String, row: &HostRow) {
    let _ = write!(
        text,
        "host {} on {} {} {} via {}:",
        row.name, row.segment, row.v4, row.v6, row.via
    );
    for serving in &row.services {
        let _ = write!(text, " {}", serving.shown());
    }
    text.push('\n');
}
