//! What a lab tells of what happened in it: frames that were given up, and what its links carried.

use crate::lab::{Giver, Lab};
use crate::link::Link;
use crate::node::Node;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// A fault that is in a lab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlantedFault {
    /// Its kind.
    pub fault: &'static str,
    /// Where, in a name of the network; nothing where it is everywhere.
    pub place: Option<String>,
}

/// What a link has carried so far, by the side that sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkTraffic {
    /// Its name.
    pub name: String,
    /// Bits, with all that a frame costs on the line.
    pub carried: [u64; 2],
    /// Bits a second that it could carry.
    pub rate: [i64; 2],
    /// Frames that it gave up, in both directions.
    pub dropped: u64,
}

/// A node or a link of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkElement {
    /// Its name, as faults are placed.
    pub name: String,
    /// Its addresses, those of a link's ends for a link.
    pub addresses: Vec<IpAddr>,
    /// What it touches: the ends of a link, the links of a node.
    pub ends: Vec<String>,
}

impl Lab {
    /// Everything that the network consists of, except for hosts of ours.
    pub fn elements(&self) -> Vec<NetworkElement> {
        let nodes = self
            .elements
            .iter()
            .filter(|it| !it.name.starts_with("program@"));
        let nodes = nodes.map(|node| NetworkElement {
            name: node.name.clone(),
            addresses: addresses(&node.node),
            ends: node
                .ports
                .iter()
                .map(|it| self.links[it.0].name.clone())
                .collect(),
        });
        let of = |node: usize| &self.elements[node];
        let links = self.links.iter().map(|link| NetworkElement {
            name: link.name.clone(),
            addresses: link
                .ends
                .iter()
                .filter_map(|(node, port)| address_at(&of(*node).node, *port))
                .collect(),
            ends: link
                .ends
                .iter()
                .map(|(node, _)| of(*node).name.clone())
                .collect(),
        });
        let own = |it: &NetworkElement| !it.name.contains("program@");
        nodes.chain(links).filter(own).collect()
    }

    /// How many frames were given up, by element and reason.
    pub fn drops(&self) -> BTreeMap<(String, &'static str), u64> {
        let name = |giver: &Giver| match giver {
            Giver::Node(node) => self.elements[*node].name.clone(),
            Giver::Link(link) => self.links[*link].name.clone(),
        };
        let rows = self.drops.iter();
        rows.map(|((giver, reason), count)| ((name(giver), *reason), *count))
            .collect()
    }

    /// What each link has carried so far.
    pub fn link_traffic(&self) -> Vec<LinkTraffic> {
        let traffic = |(number, link): (usize, &Link)| LinkTraffic {
            name: link.name.clone(),
            carried: link.ways.each_ref().map(|it| it.carried),
            rate: link.ways.each_ref().map(|it| it.medium.rate),
            dropped: self.dropped_by(Giver::Link(number)),
        };
        self.links.iter().enumerate().map(traffic).collect()
    }

    fn dropped_by(&self, giver: Giver) -> u64 {
        let rows = self.drops.range((giver, "")..);
        rows.take_while(|((it, _), _)| *it == giver)
            .map(|(_, count)| count)
            .sum()
    }

    /// The faults that are in the lab: not for eyes that are to find them.
    pub fn planted(&self) -> &[PlantedFault] {
        &self.planted
    }

    /// Frames that are on a wire or wait in a queue.
    pub fn frames_under_way(&self) -> usize {
        self.links
            .iter()
            .flat_map(|it| &it.ways)
            .map(|it| it.held())
            .sum()
    }
}

fn addresses(node: &Node) -> Vec<IpAddr> {
    match node {
        Node::Router(router) => {
            let each = router.interfaces.iter();
            each.flat_map(|it| [it.v4.0.into(), it.v6.0.into()])
                .collect()
        }
        Node::Host(host) => host.addresses(),
        _ => Vec::new(),
    }
}

fn address_at(node: &Node, port: usize) -> Option<IpAddr> {
    match node {
        Node::Router(router) => router.interfaces.get(port).map(|it| it.v4.0.into()),
        Node::Host(host) => host.addresses().first().copied(),
        _ => None,
    }
}
