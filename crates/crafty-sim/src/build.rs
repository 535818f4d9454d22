//! From the rows of a scenario to nodes, links and routes.

mod routes;

use crate::attachment::{Attachment, PortId};
use crate::dice::{RandomStream, mix};
use crate::host::{Gateway, Host};
use crate::lab::{Lab, LabNode};
use crate::link::{DISCIPLINES, Link, LinkProperties};
use crate::node::{Inbox, Node, NodeId, PortRole};
use crate::router::{Router, RouterInterface};
use crate::scenario::{
    HostRow, LinkRow, PortalRow, RouterRow, Scenario, SegmentKind, SegmentRow, SwitchRow,
};
use crate::switch::Switch;
use crate::traffic;
use crafty_value::{Duration, Mac, Net};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A network that is built.
pub(crate) struct Built {
    pub elements: Vec<LabNode>,
    pub links: Vec<Link>,
}

/// Builds a network; the seed fixes which of equal paths a flow takes, and the hosts' initial
/// sequence numbers.
pub(crate) fn network(scenario: &Scenario, seed: u64) -> Built {
    let mut builder = Builder {
        scenario,
        seed,
        built: Built {
            elements: Vec::new(),
            links: Vec::new(),
        },
        numbers: BTreeMap::new(),
        nets: Vec::new(),
        legs: Vec::new(),
    };
    builder.segments();
    scenario.switches.iter().for_each(|row| builder.switch(row));
    scenario.routers.iter().for_each(|row| builder.router(row));
    scenario.links.iter().for_each(|row| builder.link(row));
    builder.routes();
    scenario.hosts.iter().for_each(|row| builder.host(row));
    traffic::build(scenario, seed, &mut builder.built);
    crate::switch::converge(&mut builder.built);
    builder.built
}

/// Name of the node that is at a portal.
pub(crate) fn portal_element(name: &str) -> String {
    format!("program@{name}")
}

/// Adds a host of ours to a network at work.
pub(crate) fn attach(lab: &mut Lab, row: &PortalRow, port: PortId) -> Attachment {
    let scenario = &lab.scenario;
    let segment = scenario.segment(&row.segment).cloned();
    let gateway = scenario
        .routers
        .iter()
        .filter(|it| it.name == row.via)
        .flat_map(|it| &it.legs)
        .find(|leg| leg.segment == row.segment)
        .cloned();
    let name_servers = scenario.name_servers.clone();
    let node = lab.elements.len();
    let mac = mac_of(node, 0);
    let name = portal_element(&row.name);
    let station = Node::Port(Inbox::default());
    lab.elements.push(LabNode::new(name, station));
    let mut attachment = Attachment {
        port,
        portal: row.name.clone(),
        mac,
        mtu: 1500,
        addresses: vec![(link_local(mac).into(), 64)],
        gateway_v4: gateway.as_ref().map(|leg| leg.v4),
        gateway_v6: gateway.map(|leg| leg.v6),
        name_servers,
    };
    if let Some(segment) = segment {
        // Shorter than any other cable of the segment: who answers first is heard first.
        let medium = LinkProperties {
            delay: Duration::micros(1),
            ..segment.medium
        };
        join(
            &mut lab.elements,
            &mut lab.links,
            &segment,
            row.at.as_deref(),
            node,
            medium,
        );
        attachment.mtu = medium.mtu;
        let own = [(row.v4.into(), segment.v4.1), (row.v6.into(), segment.v6.1)];
        attachment.addresses.splice(0..0, own);
    }
    let replaced = row.replaces.as_ref().and_then(|it| lab.node_named(it));
    if let Some(replaced) = replaced {
        lab.elements[replaced].off = true;
    }
    attachment
}

/// Connects a node to a segment: to its shared wire, or to one of its switches.
pub(crate) fn join(
    elements: &mut [LabNode],
    links: &mut Vec<Link>,
    segment: &SegmentRow,
    at: Option<&str>,
    node: NodeId,
    medium: LinkProperties,
) {
    let own = &elements[node].name;
    let (name, role) = match &segment.kind {
        SegmentKind::Shared => (segment.name.as_str(), PortRole::Trunk),
        SegmentKind::Vlan { id, switches } => {
            let first = switches.first().map(String::as_str);
            (at.or(first).unwrap_or_default(), PortRole::Access(*id))
        }
    };
    if let Some(middle) = elements.iter().position(|it| it.name == name) {
        let link = link_name(segment, name, own);
        let port = elements[middle].ports.len();
        connect(elements, links, [middle, node], link, medium);
        elements[middle].node.on_connect(port, role);
    }
}

/// Name of the link of a node to a segment: a switch may carry several for one node.
pub(crate) fn link_name(segment: &SegmentRow, middle: &str, node: &str) -> String {
    match segment.kind {
        SegmentKind::Shared => format!("{middle}/{node}"),
        SegmentKind::Vlan { .. } => format!("{middle}/{}/{node}", segment.name),
    }
}

struct Builder<'s> {
    scenario: &'s Scenario,
    seed: u64,
    built: Built,
    numbers: BTreeMap<String, NodeId>,
    /// Segments first, then links between routers, as in the scenario, with their cost.
    nets: Vec<([Net; 2], u32)>,
    legs: Vec<Leg>,
}

/// A router's interface on a net.
struct Leg {
    router: NodeId,
    port: usize,
    net: usize,
    v4: Ipv4Addr,
    v6: Ipv6Addr,
    mac: Mac,
}

impl Builder<'_> {
    fn add(&mut self, name: &str, node: Node) -> NodeId {
        let number = self.built.elements.len();
        self.built
            .elements
            .push(LabNode::new(name.to_string(), node));
        self.numbers.insert(name.to_string(), number);
        number
    }

    fn segments(&mut self) {
        for segment in &self.scenario.segments {
            if segment.kind == SegmentKind::Shared {
                self.add(&segment.name, Node::Hub);
            }
            let nets = nets(segment.v4, segment.v6);
            self.nets.extend(nets.map(|nets| (nets, 1)));
        }
    }

    fn switch(&mut self, row: &SwitchRow) {
        let number = self.built.elements.len();
        let switch = Switch::new(mac_of(number, 0), row.priority);
        self.add(&row.name, Node::Station(Box::new(switch)));
    }

    fn router(&mut self, row: &RouterRow) {
        let number = self.built.elements.len();
        let dice = mix(self.seed ^ mix(number as u64));
        let mut router = Router::new(dice);
        router.settings = row.settings.clone();
        self.add(&row.name, Node::Router(Box::new(router)));
        for leg in &row.legs {
            let segments = &self.scenario.segments;
            let Some(net) = segments.iter().position(|it| it.name == leg.segment) else {
                continue;
            };
            let segment = &segments[net];
            let built = &mut self.built;
            let medium = segment.medium;
            let at = leg.at.as_deref();
            join(
                &mut built.elements,
                &mut built.links,
                segment,
                at,
                number,
                medium,
            );
            let prefixes = [segment.v4.1, segment.v6.1];
            self.leg(number, net, (leg.v4, leg.v6), prefixes, medium.mtu);
        }
    }

    fn link(&mut self, row: &LinkRow) {
        let ends = row
            .ends
            .each_ref()
            .map(|name| self.numbers.get(name).copied());
        let [Some(a), Some(b)] = ends else {
            return;
        };
        let ends = [a, b];
        let built = &mut self.built;
        let number = built.links.len();
        let ports = ends.map(|node| built.elements[node].ports.len());
        connect(
            &mut built.elements,
            &mut built.links,
            ends,
            row.name.clone(),
            row.medium,
        );
        self.discipline(number, row);
        if !ends.iter().all(|node| self.is_router(*node)) {
            for (node, port) in ends.into_iter().zip(ports) {
                self.built.elements[node]
                    .node
                    .on_connect(port, PortRole::Trunk);
            }
            return;
        }
        let net = self.nets.len();
        let subnet4 = Net::new(row.v4[0].into(), 30).map(|net| net.address());
        let subnet6 = Net::new(row.v6[0].into(), 64).map(|net| net.address());
        let pair = subnet4
            .zip(subnet6)
            .and_then(|(v4, v6)| Some([Net::new(v4, 30)?, Net::new(v6, 64)?]));
        self.nets.extend(pair.map(|pair| (pair, row.cost)));
        for (end, router) in ends.into_iter().enumerate() {
            self.leg(
                router,
                net,
                (row.v4[end], row.v6[end]),
                [30, 64],
                row.medium.mtu,
            );
        }
        self.introduce(net);
    }

    /// The queues that a link's row asks for.
    fn discipline(&mut self, number: usize, row: &LinkRow) {
        let kind = row.queue.as_ref();
        let kind = kind.and_then(|name| DISCIPLINES.iter().find(|it| it.name == name));
        let Some(kind) = kind else { return };
        for side in 0..2 {
            let dice = RandomStream::new(self.seed, &format!("{}/{side}/{}", row.name, kind.name));
            let queue = (kind.build)(&row.medium, dice);
            self.built.links[number].ways[side].set_discipline(Some(queue));
        }
    }

    fn is_router(&self, node: NodeId) -> bool {
        matches!(self.built.elements[node].node, Node::Router(_))
    }

    /// Gives a router the interface of the port that was connected last.
    fn leg(
        &mut self,
        router: NodeId,
        net: usize,
        (v4, v6): (Ipv4Addr, Ipv6Addr),
        prefixes: [u8; 2],
        mtu: usize,
    ) {
        let port = self.built.elements[router].ports.len() - 1;
        let mac = mac_of(router, port);
        let interface = RouterInterface {
            mac,
            v4: (v4, prefixes[0]),
            v6: (v6, prefixes[1]),
            link_local: link_local(mac),
            mtu,
        };
        if let Some(it) = self.router_at(router) {
            it.add_interface(interface);
        }
        self.legs.push(Leg {
            router,
            port,
            net,
            v4,
            v6,
            mac,
        });
    }

    /// The two ends of a link know each other: nothing is asked on it.
    fn introduce(&mut self, net: usize) {
        let legs = self.legs.iter().filter(|leg| leg.net == net);
        let ends: Vec<(NodeId, usize, [IpAddr; 2], Mac)> = legs
            .map(|leg| {
                (
                    leg.router,
                    leg.port,
                    [leg.v4.into(), leg.v6.into()],
                    leg.mac,
                )
            })
            .collect();
        for (router, port, ..) in &ends {
            for (_, _, addresses, mac) in ends.iter().filter(|peer| peer.0 != *router) {
                self.know(*router, *port, *addresses, *mac);
            }
        }
    }

    fn know(&mut self, router: NodeId, port: usize, addresses: [IpAddr; 2], mac: Mac) {
        if let Some(router) = self.router_at(router) {
            addresses
                .into_iter()
                .for_each(|address| router.know(port, address, mac));
        }
    }

    fn router_at(&mut self, node: NodeId) -> Option<&mut Router> {
        match &mut self.built.elements[node].node {
            Node::Router(router) => Some(router),
            _ => None,
        }
    }

    fn host(&mut self, row: &HostRow) {
        let segments = &self.scenario.segments;
        let Some(net) = segments.iter().position(|it| it.name == row.segment) else {
            return;
        };
        let segment = &segments[net];
        let node = self.built.elements.len();
        let mac = mac_of(node, 0);
        let via = self.numbers.get(&row.via).copied();
        let leg = self
            .legs
            .iter()
            .find(|leg| leg.net == net && Some(leg.router) == via);
        let Some(leg) = leg else { return };
        let gateway = Gateway {
            v4: leg.v4,
            v6: leg.v6,
            mac: leg.mac,
        };
        let (router, port) = (leg.router, leg.port);
        self.know(router, port, [row.v4.into(), row.v6.into()], mac);
        let addresses = [
            (row.v4.into(), segment.v4.1),
            (row.v6.into(), segment.v6.1),
            (link_local(mac).into(), 64),
        ];
        let seed = mix(self.seed ^ mix(node as u64));
        let mtu = segment.medium.mtu;
        let mut services = row.services.clone();
        // Background traffic goes to the discard port: whoever gets some has it open.
        let is_sink = self.scenario.traffic.iter().any(|it| it.to == row.name);
        services.extend(is_sink.then_some(traffic::SINK));
        let host = Host::new(mac, &addresses, gateway, mtu, &services, seed);
        self.add(&row.name, Node::Host(Box::new(host)));
        let built = &mut self.built;
        let at = row.at.as_deref();
        join(
            &mut built.elements,
            &mut built.links,
            segment,
            at,
            node,
            segment.medium,
        );
    }
}

fn nets(v4: (Ipv4Addr, u8), v6: (Ipv6Addr, u8)) -> Option<[Net; 2]> {
    Some([Net::new(v4.0.into(), v4.1)?, Net::new(v6.0.into(), v6.1)?])
}

pub(crate) fn connect(
    elements: &mut [LabNode],
    links: &mut Vec<Link>,
    ends: [NodeId; 2],
    name: String,
    medium: LinkProperties,
) {
    let ports = ends.map(|node| elements[node].ports.len());
    let number = links.len();
    for (side, node) in ends.into_iter().enumerate() {
        elements[node].ports.push((number, side));
    }
    let ends = [(ends[0], ports[0]), (ends[1], ports[1])];
    links.push(Link::new(name, number, [medium; 2], ends));
}

/// A locally administered address, from the numbers of node and port.
pub(crate) fn mac_of(node: NodeId, port: usize) -> Mac {
    let [high, low] = (node as u16).to_be_bytes();
    Mac([0x02, 0x1a, 0xb0, high, low, port as u8])
}

/// The link-local address that follows from a link address (RFC 4291 appendix A).
pub(crate) fn link_local(mac: Mac) -> Ipv6Addr {
    let [a, b, c, d, e, f] = mac.0.map(u16::from);
    Ipv6Addr::new(
        0xfe80,
        0,
        0,
        0,
        (a ^ 2) << 8 | b,
        c << 8 | 0xff,
        0xfe00 | d,
        e << 8 | f,
    )
}
