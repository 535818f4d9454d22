//! From the rows of a network to nodes, links and routes.

use crate::attachment::{Attachment, PortId, Stand};
use crate::dice::mix;
use crate::host::{Gateway, Host};
use crate::lab::{Element, Lab};
use crate::link::{Link, Medium};
use crate::networks::{HostRow, Network};
use crate::node::{Inbox, Node, NodeId};
use crate::router::{Interface, Router};
use crafty_value::{Duration, Mac, Net};
use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A network that is built.
pub(crate) struct Built {
    pub elements: Vec<Element>,
    pub links: Vec<Link>,
}

/// Builds a network; the seed fixes which of equal paths a flow takes, and the hosts' initial
/// sequence numbers.
pub(crate) fn network(network: &'static Network, seed: u64) -> Result<Built, String> {
    let mut builder = Builder {
        network,
        seed,
        built: Built {
            elements: Vec::new(),
            links: Vec::new(),
        },
        nets: Vec::new(),
        legs: Vec::new(),
    };
    builder.segments();
    builder.routers()?;
    builder.links()?;
    builder.routes();
    builder.hosts()?;
    Ok(builder.built)
}

/// Adds a host of ours to a network at work.
pub(crate) fn attach(
    lab: &mut Lab,
    stand: &'static Stand,
    port: PortId,
) -> Result<Attachment, String> {
    let network = lab.network;
    let segment = network
        .segments
        .iter()
        .find(|it| it.name == stand.segment)
        .ok_or_else(|| missing(stand.segment))?;
    let hub = lab
        .elements
        .iter()
        .position(|it| it.name == stand.segment)
        .ok_or_else(|| missing(stand.segment))?;
    let node = lab.elements.len();
    lab.elements
        .push(Element::new(stand.element(), Node::Port(Inbox::default())));
    // Shorter than any other cable of the segment: who answers first is heard first.
    let medium = Medium {
        delay: Duration::micros(1),
        ..segment.medium
    };
    connect(
        &mut lab.elements,
        &mut lab.links,
        [hub, node],
        format!("{}/{}", stand.segment, stand.element()),
        medium,
    );
    if let Some(replaced) = stand.replaces.and_then(|name| lab.element_named(name)) {
        replaced.off = true;
    }
    let mac = mac_of(node, 0);
    let gateway = network
        .routers
        .iter()
        .filter(|it| it.name == stand.via)
        .flat_map(|it| it.legs)
        .find(|leg| leg.0 == stand.segment);
    Ok(Attachment {
        port,
        stand: stand.name,
        mac,
        mtu: medium.mtu,
        addresses: vec![
            (stand.v4.into(), segment.v4.1),
            (stand.v6.into(), segment.v6.1),
            (link_local(mac).into(), 64),
        ],
        gateway_v4: gateway.map(|leg| leg.1),
        gateway_v6: gateway.map(|leg| leg.2),
        name_servers: network.name_servers.to_vec(),
    })
}

impl Stand {
    /// Name of the node that stands there.
    pub(crate) fn element(&self) -> String {
        format!("program@{}", self.name)
    }
}

struct Builder {
    network: &'static Network,
    seed: u64,
    built: Built,
    /// Segments first, then links, as in the network.
    nets: Vec<[Net; 2]>,
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

impl Builder {
    fn segments(&mut self) {
        for segment in self.network.segments {
            self.built
                .elements
                .push(Element::new(segment.name.into(), Node::Hub));
            self.nets.extend(nets(segment.v4, segment.v6));
        }
    }

    fn routers(&mut self) -> Result<(), String> {
        for row in self.network.routers {
            let router = self.built.elements.len();
            let dice = mix(self.seed ^ mix(router as u64));
            self.built.elements.push(Element::new(
                row.name.into(),
                Node::Router(Box::new(Router::new(dice))),
            ));
            for (segment, v4, v6) in row.legs {
                let net = self.segment(segment)?;
                let medium = self.network.segments[net].medium;
                let prefixes = [
                    self.network.segments[net].v4.1,
                    self.network.segments[net].v6.1,
                ];
                connect(
                    &mut self.built.elements,
                    &mut self.built.links,
                    [net, router],
                    format!("{segment}/{}", row.name),
                    medium,
                );
                self.leg(router, net, (*v4, *v6), prefixes, medium.mtu);
            }
        }
        Ok(())
    }

    fn links(&mut self) -> Result<(), String> {
        for row in self.network.links {
            let net = self.nets.len();
            self.nets.extend(nets((row.v4[0], 30), (row.v6[0], 64)));
            let [a, b] = row.ends();
            let ends = [self.element(a)?, self.element(b)?];
            connect(
                &mut self.built.elements,
                &mut self.built.links,
                ends,
                row.name.into(),
                row.medium,
            );
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
        Ok(())
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
        let interface = Interface {
            mac,
            v4: (v4, prefixes[0]),
            v6: (v6, prefixes[1]),
            link_local: link_local(mac),
            mtu,
        };
        if let Some(it) = self.router(router) {
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
        let ends: Vec<(NodeId, usize, [IpAddr; 2], Mac)> = self
            .legs
            .iter()
            .filter(|leg| leg.net == net)
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
        if let Some(router) = self.router(router) {
            addresses
                .into_iter()
                .for_each(|address| router.know(port, address, mac));
        }
    }

    fn router(&mut self, node: NodeId) -> Option<&mut Router> {
        match &mut self.built.elements[node].node {
            Node::Router(router) => Some(router),
            _ => None,
        }
    }

    /// Shortest paths from every router to every net; where several are shortest, all of them.
    fn routes(&mut self) {
        for net in 0..self.nets.len() {
            let away = self.distances(net);
            let hops: Vec<(NodeId, usize, [Option<IpAddr>; 2])> = self
                .legs
                .iter()
                .flat_map(|leg| self.hops(leg, net, &away))
                .collect();
            for (node, port, gateways) in hops {
                let nets = self.nets[net];
                let Some(router) = self.router(node) else {
                    continue;
                };
                for (net, gateway) in nets.into_iter().zip(gateways) {
                    router.add_route(net, port, gateway);
                }
            }
        }
    }

    /// What `leg` contributes to its router's routes towards `net`.
    fn hops(
        &self,
        leg: &Leg,
        net: usize,
        away: &[Option<u32>],
    ) -> Vec<(NodeId, usize, [Option<IpAddr>; 2])> {
        if leg.net == net {
            return vec![(leg.router, leg.port, [None, None])];
        }
        let nearer = |peer: &&Leg| {
            peer.net == leg.net
                && matches!((away[peer.router], away[leg.router]), (Some(near), Some(far)) if near + 1 == far)
        };
        let hop = |peer: &Leg| {
            (
                leg.router,
                leg.port,
                [Some(peer.v4.into()), Some(peer.v6.into())],
            )
        };
        self.legs.iter().filter(nearer).map(hop).collect()
    }

    /// How many links each node is away from `net`.
    fn distances(&self, net: usize) -> Vec<Option<u32>> {
        let mut away = vec![None; self.built.elements.len()];
        let mut next: VecDeque<(NodeId, u32)> = self
            .legs
            .iter()
            .filter(|leg| leg.net == net)
            .map(|leg| (leg.router, 0))
            .collect();
        while let Some((router, distance)) = next.pop_front() {
            if away[router].is_some() {
                continue;
            }
            away[router] = Some(distance);
            for leg in self.legs.iter().filter(|leg| leg.router == router) {
                next.extend(
                    self.legs
                        .iter()
                        .filter(|peer| peer.net == leg.net)
                        .map(|peer| (peer.router, distance + 1)),
                );
            }
        }
        away
    }

    fn hosts(&mut self) -> Result<(), String> {
        self.network.hosts.iter().try_for_each(|row| self.host(row))
    }

    fn host(&mut self, row: &'static HostRow) -> Result<(), String> {
        let net = self.segment(row.segment)?;
        let segment = &self.network.segments[net];
        let node = self.built.elements.len();
        let mac = mac_of(node, 0);
        let via = self.element(row.via)?;
        let leg = self
            .legs
            .iter()
            .find(|leg| leg.net == net && leg.router == via)
            .ok_or_else(|| missing(row.via))?;
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
        let host = Host::new(
            mac,
            &addresses,
            gateway,
            segment.medium.mtu,
            row.services,
            mix(self.seed ^ mix(node as u64)),
        );
        self.built
            .elements
            .push(Element::new(row.name.into(), Node::Host(Box::new(host))));
        connect(
            &mut self.built.elements,
            &mut self.built.links,
            [net, node],
            format!("{}/{}", row.segment, row.name),
            segment.medium,
        );
        Ok(())
    }

    /// Number of a segment: of its net and of its node alike.
    fn segment(&self, name: &str) -> Result<usize, String> {
        self.network
            .segments
            .iter()
            .position(|segment| segment.name == name)
            .ok_or_else(|| missing(name))
    }

    fn element(&self, name: &str) -> Result<NodeId, String> {
        self.built
            .elements
            .iter()
            .position(|element| element.name == name)
            .ok_or_else(|| missing(name))
    }
}

fn missing(name: &str) -> String {
    format!("the network speaks of `{name}`, which is not in it; mend its rows")
}

fn nets(v4: (Ipv4Addr, u8), v6: (Ipv6Addr, u8)) -> Option<[Net; 2]> {
    Some([Net::new(v4.0.into(), v4.1)?, Net::new(v6.0.into(), v6.1)?])
}

fn connect(
    elements: &mut [Element],
    links: &mut Vec<Link>,
    ends: [NodeId; 2],
    name: String,
    medium: Medium,
) {
    let ports = ends.map(|node| elements[node].ports.len());
    for (side, node) in ends.into_iter().enumerate() {
        elements[node].ports.push((links.len(), side));
    }
    links.push(Link::new(
        name,
        medium,
        [(ends[0], ports[0]), (ends[1], ports[1])],
    ));
}

/// A locally administered address, from the numbers of node and port.
fn mac_of(node: NodeId, port: usize) -> Mac {
    let [high, low] = (node as u16).to_be_bytes();
    Mac([0x02, 0x1a, 0xb0, high, low, port as u8])
}

/// The link-local address that follows from a link address (RFC 4291 appendix A).
fn link_local(mac: Mac) -> Ipv6Addr {
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
