//! What a picture shows: the nodes of a scenario and what joins them.

use crate::link::LinkProperties;
use crate::scenario::{Scenario, SegmentKind};

/// What a node looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Router,
    Switch,
    Segment,
    Host,
    Portal,
}

/// A node of the picture.
pub(super) struct Drawn {
    pub name: String,
    pub shape: Shape,
    /// What a reader sees when pointing at it.
    pub detail: String,
}

/// A line of the picture.
pub(super) struct Joint {
    /// The link's name in the lab, or that of the ends.
    pub name: String,
    pub ends: [usize; 2],
    pub detail: String,
}

/// Nodes and lines.
#[derive(Default)]
pub(super) struct Graph {
    pub nodes: Vec<Drawn>,
    pub joints: Vec<Joint>,
}

impl Graph {
    /// The graph of a network. A VLAN is not a node: what is on it hangs on its switch.
    pub fn of(scenario: &Scenario) -> Graph {
        let mut graph = Graph::default();
        for row in &scenario.segments {
            if row.kind == SegmentKind::Shared {
                let nets = format!("{}/{}\n{}/{}", row.v4.0, row.v4.1, row.v6.0, row.v6.1);
                graph.add(&row.name, Shape::Segment, nets);
            }
        }
        for row in &scenario.switches {
            graph.add(&row.name, Shape::Switch, "switch".into());
        }
        for row in &scenario.routers {
            let addresses = row.legs.iter().map(|leg| format!("{} {}", leg.v4, leg.v6));
            let addresses: Vec<String> = addresses.collect();
            graph.add(&row.name, Shape::Router, addresses.join("\n"));
            for leg in &row.legs {
                graph.hang(scenario, &row.name, &leg.segment, leg.at.as_deref());
            }
        }
        for row in &scenario.links {
            graph.join(&row.name, [&row.ends[0], &row.ends[1]], &row.medium);
        }
        for row in &scenario.hosts {
            let services: Vec<String> = row.services.iter().map(|it| it.shown()).collect();
            let detail = format!("{}\n{}\n{}", row.v4, row.v6, services.join(" "));
            graph.add(&row.name, Shape::Host, detail);
            graph.hang(scenario, &row.name, &row.segment, row.at.as_deref());
        }
        for row in &scenario.portals {
            // A portal may have the name of its segment.
            let name = format!("portal {}", row.name);
            graph.add(
                &name,
                Shape::Portal,
                format!("{}\n{}\n{}", row.doc, row.v4, row.v6),
            );
            graph.hang(scenario, &name, &row.segment, row.at.as_deref());
        }
        graph
    }

    fn add(&mut self, name: &str, shape: Shape, detail: String) {
        self.nodes.push(Drawn {
            name: name.into(),
            shape,
            detail,
        });
    }

    fn number(&self, name: &str) -> Option<usize> {
        self.nodes.iter().position(|it| it.name == name)
    }

    fn join(&mut self, name: &str, ends: [&str; 2], medium: &LinkProperties) {
        let [Some(a), Some(b)] = ends.map(|it| self.number(it)) else {
            return;
        };
        let detail = format!(
            "{} Mbit/s, {}, MTU {}",
            medium.rate / 1_000_000,
            medium.delay,
            medium.mtu
        );
        self.joints.push(Joint {
            name: name.into(),
            ends: [a, b],
            detail,
        });
    }

    /// Joins a node to a segment, or to the switch that carries it.
    fn hang(&mut self, scenario: &Scenario, node: &str, segment: &str, at: Option<&str>) {
        let Some(row) = scenario.segment(segment) else {
            return;
        };
        let middle = match &row.kind {
            SegmentKind::Shared => Some(segment),
            SegmentKind::Vlan { switches, .. } => at.or(switches.first().map(String::as_str)),
        };
        let middle = middle.unwrap_or_default().to_string();
        let own = node
            .strip_prefix("portal ")
            .map_or(node.to_string(), crate::build::portal_element);
        let name = crate::build::link_name(row, &middle, &own);
        self.join(&name, [&middle, node], &row.medium);
    }

    /// The numbers of the nodes beside each node.
    pub fn neighbours(&self) -> Vec<Vec<usize>> {
        let mut beside = vec![Vec::new(); self.nodes.len()];
        for Joint { ends: [a, b], .. } in &self.joints {
            beside[*a].push(*b);
            beside[*b].push(*a);
        }
        beside
    }
}
