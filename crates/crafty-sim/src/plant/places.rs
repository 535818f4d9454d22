//! Where a fault is planted: the links, hosts, switches and routers that its place names.

use crate::error::LabError;
use crate::faults::{PlaceKind, Planting};
use crate::lab::{Lab, LabNode};
use crate::node::{Node, NodeId};
use crate::scenario::SegmentRow;
use crafty_value::Net;
use std::net::Ipv4Addr;

impl Lab {
    /// The link and the sides that send into it: `a-b` is both, `a>b` the one of `a`. A fault of a
    /// host is on that host's link.
    pub(crate) fn directions(&self, planting: &Planting) -> Result<(usize, [bool; 2]), LabError> {
        if planting.fault.place == PlaceKind::Host {
            let node = self.host_of(planting)?;
            let (link, side) = self.elements[node].ports[0];
            return Ok((link, [side == 0, side == 1]));
        }
        let place = planting.place.as_deref().unwrap_or(&self.scenario.trunk);
        let Some((from, to)) = place.split_once('>') else {
            return Ok((self.link_named(place)?, [true; 2]));
        };
        let end =
            |link: &crate::link::Link, side: usize| self.elements[link.ends[side].0].name.as_str();
        let found = self.links.iter().enumerate().find_map(|(number, link)| {
            let ends = [end(link, 0), end(link, 1)];
            match ends {
                [a, b] if a == from && b == to => Some((number, [true, false])),
                [a, b] if a == to && b == from => Some((number, [false, true])),
                _ => None,
            }
        });
        found.map_or_else(
            || {
                self.link_named(&format!("{from}-{to}"))
                    .map(|it| (it, [true; 2]))
            },
            Ok,
        )
    }

    /// The host that was named, or the server of the scenario.
    pub(crate) fn host_of(&self, planting: &Planting) -> Result<NodeId, LabError> {
        let name = planting.place.as_deref().unwrap_or(&self.scenario.server);
        let known = self.scenario.hosts.iter().map(|it| it.name.as_str());
        self.node_named(name)
            .filter(|node| matches!(self.elements[*node].node, Node::Host(_)))
            .ok_or_else(|| {
                let place = format!("`{}`", self.scenario.name);
                LabError::unknown("host", name, Some(&place), known)
            })
    }

    /// The switches of a fault: the one that was named, or all.
    pub(crate) fn switches_of(&self, planting: &Planting) -> Result<Vec<NodeId>, LabError> {
        let named = |name: &str| planting.place.as_deref().is_none_or(|place| place == name);
        let rows = self.scenario.switches.iter().map(|it| it.name.as_str());
        let nodes: Vec<NodeId> = rows
            .clone()
            .filter(|name| named(name))
            .filter_map(|name| self.node_named(name))
            .collect();
        if nodes.is_empty() {
            let place = format!("`{}`", self.scenario.name);
            let name = planting.place.as_deref().unwrap_or_default();
            return Err(LabError::unknown("switch", name, Some(&place), rows));
        }
        Ok(nodes)
    }

    /// Segment, address and switch of a fault's host.
    pub(crate) fn segment_of_host(
        &self,
        planting: &Planting,
    ) -> Result<(SegmentRow, Ipv4Addr, Option<String>), LabError> {
        let name = &self.elements[self.host_of(planting)?].name;
        let row = self.scenario.host(name);
        let segment = row.and_then(|it| self.scenario.segment(&it.segment));
        let (row, segment) = row.zip(segment).ok_or_else(|| self.no_server())?;
        Ok((segment.clone(), row.v4, row.at.clone()))
    }

    /// The segment that was named, or the first.
    pub(crate) fn segment_named(&self, planting: &Planting) -> Result<SegmentRow, LabError> {
        let rows = &self.scenario.segments;
        let place = planting.place.as_ref();
        let found = rows
            .iter()
            .find(|it| place.is_none_or(|place| *place == it.name));
        found.cloned().ok_or_else(|| self.no_server())
    }

    pub(super) fn no_detour(&self, planting: &Planting) -> LabError {
        LabError::Impossible(format!(
            "`{}` needs equal paths, and `{}` names no `detour` between two routers",
            planting.fault.name, self.scenario.name
        ))
    }

    /// The routers of a fault: the one that was named, or all.
    pub(crate) fn routers_of(&self, planting: &Planting) -> Result<Vec<NodeId>, LabError> {
        let named = |it: &&LabNode| {
            planting
                .place
                .as_ref()
                .is_none_or(|place| *place == it.name)
        };
        let routers: Vec<NodeId> = self
            .elements
            .iter()
            .enumerate()
            .filter(|(_, it)| matches!(it.node, Node::Router(_)) && named(it))
            .map(|(node, _)| node)
            .collect();
        if routers.is_empty() {
            let known = self.scenario.routers.iter().map(|it| it.name.as_str());
            let place = format!("`{}`", self.scenario.name);
            let name = planting.place.as_deref().unwrap_or_default();
            return Err(LabError::unknown("router", name, Some(&place), known));
        }
        Ok(routers)
    }

    /// Names of the routers at the ends of a fault's link.
    pub(crate) fn ends_of(&self, planting: &Planting) -> Result<Vec<String>, LabError> {
        let (link, _) = self.directions(planting)?;
        let ends = self.links[link].ends.iter().map(|it| &self.elements[it.0]);
        let routers: Vec<String> = ends
            .filter(|it| matches!(it.node, Node::Router(_)))
            .map(|it| it.name.clone())
            .collect();
        if routers.is_empty() {
            return Err(LabError::Impossible(format!(
                "`{}` has no router; choose a link such as `{}`",
                self.links[link].name, self.scenario.trunk
            )));
        }
        Ok(routers)
    }

    /// The router that is named, or the far end of the trunk, and the net of the server.
    pub(crate) fn server_route(&self, planting: &Planting) -> Result<(NodeId, Net), LabError> {
        let segment = self.scenario.host(&self.scenario.server);
        let segment = segment.and_then(|it| self.scenario.segment(&it.segment));
        let net = segment.and_then(|it| Net::new(it.v4.0.into(), it.v4.1));
        let node = match &planting.place {
            Some(_) => self.routers_of(planting)?.first().copied(),
            None => self.links[self.link_named(&self.scenario.trunk)?]
                .ends
                .get(1)
                .map(|it| it.0),
        };
        node.zip(net).ok_or_else(|| self.no_server())
    }

    /// The router that is named, or the one next to the server, and the net of the first portal.
    pub(crate) fn return_route(&self, planting: &Planting) -> Result<(NodeId, Net), LabError> {
        let portal = self.scenario.portals.first();
        let segment = portal.and_then(|it| self.scenario.segment(&it.segment));
        let net = segment.and_then(|it| Net::new(it.v4.0.into(), it.v4.1));
        let server = self.scenario.host(&self.scenario.server);
        let node = match &planting.place {
            Some(_) => self.routers_of(planting)?.first().copied(),
            None => server.and_then(|it| self.node_named(&it.via)),
        };
        node.zip(net).ok_or_else(|| self.no_server())
    }

    fn no_server(&self) -> LabError {
        LabError::Impossible(format!(
            "the scenario `{}` names no server: add `server = \"HOST\"`",
            self.scenario.name
        ))
    }
}
