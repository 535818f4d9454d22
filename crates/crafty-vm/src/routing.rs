//! Which way a destination lies: routes of the host, then the nets of its interfaces.

use crate::api::{Environment, InterfaceInfo, Link};
use core::net::IpAddr;
use crafty_policy::{Host, LinkKind};
use crafty_value::Net;

/// The way to a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    pub interface: usize,
    /// The neighbour to hand frames to.
    pub next_hop: IpAddr,
    /// Where packets come from unless the program says otherwise.
    pub source: Option<IpAddr>,
}

impl Environment {
    /// The way to `destination`, by the named interface if one is named.
    pub(crate) fn way_to(&self, destination: IpAddr, by: Option<usize>) -> Option<Way> {
        self.routed(destination, by).or_else(|| self.connected(destination, by))
    }

    fn routed(&self, destination: IpAddr, by: Option<usize>) -> Option<Way> {
        let fits = |r: &&crate::Route| r.net.contains(destination) && by.is_none_or(|i| i == r.interface);
        let longest = self.routes.iter().filter(fits).map(|r| r.net.prefix()).max()?;
        let route = self.routes.iter().filter(fits).find(|r| r.net.prefix() == longest)?;
        let next_hop = route.gateway.unwrap_or(destination);
        Some(Way { interface: route.interface, next_hop, source: route.source.or_else(|| self.address_of(route.interface, next_hop)) })
    }

    fn connected(&self, destination: IpAddr, by: Option<usize>) -> Option<Way> {
        let near = |(own, bits): &(IpAddr, u8)| Net::new(*own, *bits).is_some_and(|net| net.contains(destination));
        let (interface, _) = self
            .interfaces
            .iter()
            .enumerate()
            .find(|(i, info)| by.is_none_or(|b| b == *i) && info.addresses.iter().any(near))?;
        Some(Way { interface, next_hop: destination, source: self.address_of(interface, destination) })
    }

    /// The interface's address to talk to a neighbour from: of the same net, else of the same family.
    pub(crate) fn address_of(&self, interface: usize, neighbour: IpAddr) -> Option<IpAddr> {
        let own = &self.interfaces.get(interface)?.addresses;
        let family = |a: &IpAddr| a.is_ipv4() == neighbour.is_ipv4();
        let near = own.iter().find(|(a, bits)| Net::new(*a, *bits).is_some_and(|net| net.contains(neighbour)));
        near.or_else(|| own.iter().find(|(a, _)| family(a))).map(|(a, _)| *a)
    }

    /// The interface of this name.
    pub(crate) fn interface_named(&self, name: &str) -> Option<usize> {
        self.interfaces.iter().position(|i| i.name == name)
    }

    /// What the gate must know of the host that sends by this interface.
    pub(crate) fn host(&self, interface: usize) -> Host {
        let Some(info) = self.interfaces.get(interface) else { return Host::default() };
        let others = self.interfaces.iter().enumerate().filter(|(i, _)| *i != interface).flat_map(|(_, i)| i.addresses.clone());
        Host {
            interface: info.name.clone(),
            macs: if info.link == Link::RawIp { Vec::new() } else { vec![info.mac] },
            addresses: info.addresses.clone(),
            others: others.collect(),
            gateways: self.routes.iter().filter(|r| r.interface == interface).filter_map(|r| r.gateway).collect(),
            neighbours: self.neighbours.iter().filter(|((i, _), _)| *i == interface).map(|((_, a), mac)| (*a, *mac)).collect(),
            mtu: info.mtu as usize,
            nat64: Vec::new(),
        }
    }
}

impl InterfaceInfo {
    /// What its frames begin with, in the gate's words.
    pub(crate) fn link_kind(&self) -> LinkKind {
        match self.link {
            Link::RawIp => LinkKind::RawIp,
            Link::Ethernet | Link::Loopback => LinkKind::Ethernet,
        }
    }
}
