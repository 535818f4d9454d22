//! Who is at the far end: every address of the interface's nets but the host's own.

use crate::option::{EndpointMode, EndpointOptions};
use crafty_policy::{AddressSet, Policy};
use crafty_run::{Environment, InterfaceInfo, LinkLayer, Route};
use crafty_value::{Mac, Net};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Link address of the far end: locally administered, the same in each run.
pub const FAR_MAC: Mac = Mac([0x02, 0x63, 0x72, 0x66, 0x74, 0x79]);

/// Addresses of a program beside the first of each net, at most.
const MAX_DECLARED: usize = 256;

/// Both ends of the interface.
#[derive(Clone, Debug)]
pub struct FarEnd {
    /// The interface's name.
    pub interface: String,
    /// Which layer it carries.
    pub mode: EndpointMode,
    /// Largest IP packet in bytes.
    pub mtu: u32,
    /// The host's addresses on it, with the lengths of their prefixes.
    pub near: Vec<(IpAddr, u8)>,
    /// The host's link address on it; none without a link layer.
    pub near_mac: Option<Mac>,
}

impl FarEnd {
    /// The far end of an interface that is called so.
    pub fn new(options: &EndpointOptions, interface: &str, near_mac: Option<Mac>) -> FarEnd {
        FarEnd {
            interface: interface.into(),
            mode: options.mode,
            mtu: options.mtu,
            near: options.near(),
            near_mac,
        }
    }

    /// Whether an address is the host's.
    pub fn is_near(&self, address: IpAddr) -> bool {
        self.near.iter().any(|(near, _)| *near == address)
    }

    /// Whether an address is one of the far end's: on a net of the interface, and a host's that is not
    /// this one.
    pub fn owns(&self, address: IpAddr) -> bool {
        let on = |(near, bits): &(IpAddr, u8)| {
            Net::new(*near, *bits).is_some_and(|net| {
                let whole = near.is_ipv4() && *bits < 31;
                let end = whole && (net.address() == address || net.last() == address);
                net.contains(address) && !end
            })
        };
        !self.is_near(address) && self.near.iter().any(on)
    }

    /// All of the far end's addresses.
    pub fn addresses(&self) -> AddressSet {
        let mut all = AddressSet::none();
        for (near, bits) in &self.near {
            let Some(net) = Net::new(*near, *bits) else {
                continue;
            };
            all.allow(net);
            let ends = [net.address(), net.last()];
            let stand_for_all = near.is_ipv4() && *bits < 31;
            ends.into_iter()
                .filter(|_| stand_for_all)
                .for_each(|end| all.deny(Net::host(end)));
        }
        for (near, _) in &self.near {
            all.deny(Net::host(*near));
        }
        all
    }

    /// The first of the far end's addresses on each net.
    pub fn first_addresses(&self) -> Vec<(IpAddr, u8)> {
        let near = self.near.iter();
        near.filter_map(|(near, bits)| {
            let net = Net::new(*near, *bits)?;
            // The first address of an IPv6 net is any router's (RFC 4291 section 2.6.1).
            let first = u32::from(near.is_ipv6() && *bits < 127);
            let found = (first..4).find_map(|step| {
                let address = nth(net.address(), step)?;
                (net.contains(address) && self.owns(address)).then_some(address)
            });
            Some((found?, *bits))
        })
        .collect()
    }

    /// What a program at the far end is reported: it has the first address of each net, and those
    /// that it declares as `sources`; every other address is behind the host.
    pub fn environment(&self, policy: &Policy, seed: u64) -> Environment {
        let mut own = self.first_addresses();
        let declared = policy.sources.ranges().into_iter();
        let single = declared.filter(|(low, high)| low == high);
        for (address, _) in single.take(MAX_DECLARED) {
            if self.owns(address) && own.iter().all(|(known, _)| *known != address) {
                own.push((address, self.prefix_of(address)));
            }
        }
        let interface = InterfaceInfo {
            name: self.interface.clone(),
            mac: match self.mode {
                EndpointMode::Tun => Mac([0; 6]),
                EndpointMode::Tap => FAR_MAC,
            },
            mtu: self.mtu,
            addresses: own.clone(),
            link: match self.mode {
                EndpointMode::Tun => LinkLayer::RawIp,
                EndpointMode::Tap => LinkLayer::Ethernet,
            },
        };
        let near = self.near.iter();
        Environment {
            interfaces: vec![interface],
            routes: self.routes(&own),
            neighbours: near
                .filter_map(|(near, _)| Some(((0, *near), self.near_mac?)))
                .collect(),
            other_addresses: Vec::new(),
            // What asks for link addresses is answered before any handler.
            kernel_answers: true,
            seed,
        }
    }

    fn routes(&self, own: &[(IpAddr, u8)]) -> Vec<Route> {
        let source = |v4: bool| own.iter().map(|(a, _)| *a).find(|a| a.is_ipv4() == v4);
        let near = self.near.iter();
        let on_link = near.filter_map(|(near, bits)| {
            Some(Route {
                net: Net::new(*near, *bits)?,
                gateway: None,
                interface: 0,
                source: source(near.is_ipv4()),
            })
        });
        let behind = |any: IpAddr| {
            let gateway = self
                .near
                .iter()
                .find(|(near, _)| near.is_ipv4() == any.is_ipv4());
            Some(Route {
                net: Net::new(any, 0)?,
                gateway: Some(gateway?.0),
                interface: 0,
                source: source(any.is_ipv4()),
            })
        };
        let all = [Ipv4Addr::UNSPECIFIED.into(), Ipv6Addr::UNSPECIFIED.into()];
        on_link.chain(all.into_iter().filter_map(behind)).collect()
    }

    fn prefix_of(&self, address: IpAddr) -> u8 {
        let mut near = self.near.iter();
        let holds = |(near, bits): &&(IpAddr, u8)| {
            Net::new(*near, *bits).is_some_and(|net| net.contains(address))
        };
        near.find(holds).map_or(32, |(_, bits)| *bits)
    }
}

fn nth(first: IpAddr, step: u32) -> Option<IpAddr> {
    match first {
        IpAddr::V4(a) => Some(Ipv4Addr::from_bits(a.to_bits().checked_add(step)?).into()),
        IpAddr::V6(a) => Some(Ipv6Addr::from_bits(a.to_bits().checked_add(step.into())?).into()),
    }
}
