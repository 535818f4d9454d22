//! Which way a destination lies: routes of the host, then the nets of its interfaces.

use crate::api::{Environment, InterfaceInfo, LinkLayer, Route};
use core::net::{IpAddr, Ipv4Addr};
use crafty_policy::{HostAddresses, LinkKind};
use crafty_value::Net;

/// The way to a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ResolvedRoute {
    pub interface: usize,
    /// The neighbour to hand frames to.
    pub next_hop: IpAddr,
    /// Where packets come from unless the program says otherwise.
    pub source: Option<IpAddr>,
}

impl Environment {
    /// The way to `destination`, by the named interface if one is named: the longest prefix wins,
    /// then routes over nets.
    pub(crate) fn route_to(&self, destination: IpAddr, by: Option<usize>) -> Option<ResolvedRoute> {
        let ways = self.routed().chain(self.connected());
        let fits = ways.filter(|(net, interface, _)| {
            net.contains(destination) && by.is_none_or(|i| i == *interface)
        });
        let (_, interface, route) = fits.reduce(|best, next| {
            if next.0.prefix() > best.0.prefix() {
                next
            } else {
                best
            }
        })?;
        // A group is on the link whatever the route says: its members hear it there (RFC 1112 §6.4).
        let group = destination.is_multicast() || destination == IpAddr::V4(Ipv4Addr::BROADCAST);
        let gateway = route.and_then(|r| r.gateway).filter(|_| !group);
        let next_hop = gateway.unwrap_or(destination);
        let source = route
            .and_then(|r| r.source)
            .or_else(|| self.address_of(interface, next_hop));
        Some(ResolvedRoute {
            interface,
            next_hop,
            source,
        })
    }

    fn routed(&self) -> impl Iterator<Item = (Net, usize, Option<&Route>)> {
        self.routes.iter().map(|r| (r.net, r.interface, Some(r)))
    }

    fn connected(&self) -> impl Iterator<Item = (Net, usize, Option<&Route>)> {
        let nets = |(i, info): (usize, &'_ InterfaceInfo)| {
            info.addresses
                .iter()
                .filter_map(move |(a, bits)| Some((Net::new(*a, *bits)?, i)))
                .collect::<Vec<_>>()
        };
        self.interfaces
            .iter()
            .enumerate()
            .flat_map(nets)
            .map(|(net, interface)| (net, interface, None))
    }

    /// The interface's address to talk to a neighbour from: of the same net, else of the same
    /// family.
    pub(crate) fn address_of(&self, interface: usize, neighbour: IpAddr) -> Option<IpAddr> {
        let own = &self.interfaces.get(interface)?.addresses;
        let family = |a: &IpAddr| a.is_ipv4() == neighbour.is_ipv4();
        let near = own
            .iter()
            .find(|(a, bits)| Net::new(*a, *bits).is_some_and(|net| net.contains(neighbour)));
        near.or_else(|| own.iter().find(|(a, _)| family(a)))
            .map(|(a, _)| *a)
    }

    /// The interface of this name.
    pub(crate) fn interface_named(&self, name: &str) -> Option<usize> {
        self.interfaces.iter().position(|i| i.name == name)
    }

    /// What the gate must know of the host that sends by this interface.
    pub(crate) fn host(&self, interface: usize) -> HostAddresses {
        let Some(info) = self.interfaces.get(interface) else {
            return HostAddresses::default();
        };
        let others = self
            .interfaces
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != interface)
            .flat_map(|(_, i)| i.addresses.clone())
            .chain(self.other_addresses.iter().copied());
        HostAddresses {
            interface: info.name.clone(),
            macs: if info.link == LinkLayer::RawIp {
                Vec::new()
            } else {
                vec![info.mac]
            },
            addresses: info.addresses.clone(),
            others: others.collect(),
            gateways: self
                .routes
                .iter()
                .filter(|r| r.interface == interface)
                .filter_map(|r| r.gateway)
                .collect(),
            neighbours: self
                .neighbours
                .iter()
                .filter(|((i, _), _)| *i == interface)
                .map(|((_, a), mac)| (*a, *mac))
                .collect(),
            mtu: info.mtu as usize,
            nat64: Vec::new(),
        }
    }
}

impl InterfaceInfo {
    /// What its frames begin with, in the gate's words.
    pub(crate) fn link_kind(&self) -> LinkKind {
        match self.link {
            LinkLayer::RawIp => LinkKind::RawIp,
            LinkLayer::Ethernet | LinkLayer::Loopback => LinkKind::Ethernet,
        }
    }
}
