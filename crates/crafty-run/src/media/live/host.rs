//! What this host is to a program: the routes to all that it may send to, the interfaces that they
//! use, and what the kernel has to leave to the program. Reads the kernel's tables; opens nothing.

use crafty_net::{EgressRules, Interface, LinkType, NetError, Owned, Transport};
use crafty_policy::{HostAddresses, Policy, PortSet, Power};
use crafty_value::{Mac, Net};
use crafty_vm::{Environment, InterfaceInfo, LinkLayer, Route};
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Most addresses of a net that is routed piece by piece.
const MAX_ROUTES: usize = 512;

/// Addresses for examples (RFC 5737, RFC 3849, RFC 9637): the lab's programs are full of them, real
/// networks should not be.
const DOCUMENTATION: &[(IpAddr, u8)] = &[
    (IpAddr::V4(Ipv4Addr::new(192, 0, 2, 0)), 24),
    (IpAddr::V4(Ipv4Addr::new(198, 51, 100, 0)), 24),
    (IpAddr::V4(Ipv4Addr::new(203, 0, 113, 0)), 24),
    (
        IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0)),
        32,
    ),
    (IpAddr::V6(Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0)), 20),
];

/// The first destination that is an address for examples.
pub fn documentation_address(policy: &Policy) -> Option<IpAddr> {
    let nets: Vec<Net> = DOCUMENTATION
        .iter()
        .filter_map(|(address, bits)| Net::new(*address, *bits))
        .collect();
    policy
        .destinations
        .ranges()
        .into_iter()
        .map(|(low, _)| low)
        .find(|low| nets.iter().any(|net| net.contains(*low)))
}

/// What this host is to a program: the interfaces its routes use.
#[derive(Clone, Debug)]
pub struct HostNetwork {
    /// Interfaces, in the order of the environment's.
    pub interfaces: Vec<Interface>,
    /// What the program learns.
    pub environment: Environment,
}

impl HostNetwork {
    /// Finds the routes to all that a policy lets be sent to; inside a tunnel an address needs none.
    /// `only` names the interface to use.
    ///
    /// # Errors
    /// When there is no such interface, or no route.
    pub fn find(policy: &Policy, only: Option<&str>, seed: u64) -> Result<HostNetwork, NetError> {
        let all = crafty_net::interfaces().map_err(|e| NetError::System {
            doing: "reading the interfaces",
            errno: e.raw_os_error().unwrap_or(0),
        })?;
        let named = only.map(crafty_net::interface).transpose()?;
        let mut host = HostNetwork {
            interfaces: named.into_iter().collect(),
            environment: Environment {
                kernel_answers: true,
                seed,
                ..Environment::default()
            },
        };
        let ranges = policy.destinations.ranges();
        let mut missing = None;
        for net in ranges.iter().flat_map(|(low, high)| cover(*low, *high)) {
            match add_route(&mut host, &all, net, only) {
                Err(error @ NetError::NoRoute { .. }) if policy.powers.has(Power::Tunnels) => {
                    missing = missing.or(Some(error))
                }
                added => added?,
            }
        }
        if let Some(error) = missing.filter(|_| host.environment.routes.is_empty()) {
            return Err(error);
        }
        host.environment.interfaces = host.interfaces.iter().map(info).collect();
        let used = |other: &&Interface| !host.interfaces.iter().any(|i| i.index == other.index);
        host.environment.other_addresses = all
            .iter()
            .filter(used)
            .flat_map(|other| other.addresses.clone())
            .collect();
        Ok(host)
    }
}

impl HostNetwork {
    /// What the gate says of destinations and rates, as the kernel can repeat it.
    pub(crate) fn egress_rules(&self, policy: &Policy) -> EgressRules {
        let own = self.interfaces.iter().flat_map(|i| i.addresses.clone());
        let host = HostAddresses {
            addresses: own.collect(),
            others: self.environment.other_addresses.clone(),
            ..HostAddresses::default()
        };
        EgressRules {
            destinations: policy.reachable(&host).ranges(),
            packets_per_second: policy.budget.max_packets_per_secs,
            bytes_per_second: policy.budget.max_bytes_per_secs,
        }
    }
}

fn add_route(
    host: &mut HostNetwork,
    all: &[Interface],
    net: Net,
    only: Option<&str>,
) -> Result<(), NetError> {
    let route = crafty_net::route_to(net.address(), None, only)?;
    let interface = all.iter().find(|i| i.index == route.interface);
    let interface = interface.ok_or(NetError::NoRoute {
        destination: net.address(),
        interface: None,
    })?;
    let known = host
        .interfaces
        .iter()
        .position(|i| i.index == interface.index);
    let number = known.unwrap_or_else(|| {
        host.interfaces.push(interface.clone());
        host.interfaces.len() - 1
    });
    let next = route.gateway.unwrap_or(net.address());
    let single = route.gateway.is_some() || net == Net::host(net.address());
    if let Some(mac) = crafty_net::neighbour(route.interface, next).filter(|_| single) {
        host.environment.neighbours.insert((number, next), mac);
    }
    host.environment.routes.push(Route {
        net,
        gateway: route.gateway,
        interface: number,
        source: route.source,
    });
    Ok(())
}

fn info(interface: &Interface) -> InterfaceInfo {
    let link = match interface.link {
        LinkType::Ethernet => LinkLayer::Ethernet,
        LinkType::Loopback => LinkLayer::Loopback,
        LinkType::RawIp | LinkType::Other(_) => LinkLayer::RawIp,
    };
    InterfaceInfo {
        name: interface.name.clone(),
        mac: interface.mac.unwrap_or(Mac([0; 6])),
        mtu: interface.mtu,
        addresses: interface.addresses.clone(),
        link,
    }
}

/// The fewest nets that cover a range of addresses, up to a limit: what lies beyond has no route.
pub fn cover(low: IpAddr, high: IpAddr) -> Vec<Net> {
    let (mut at, last, bits) = match (low, high) {
        (IpAddr::V4(a), IpAddr::V4(b)) => (u128::from(a.to_bits()), u128::from(b.to_bits()), 32),
        (IpAddr::V6(a), IpAddr::V6(b)) => (a.to_bits(), b.to_bits(), 128),
        _ => return Vec::new(),
    };
    let mut nets = Vec::new();
    while at <= last && nets.len() < MAX_ROUTES {
        let size = (0..=bits).rev().find(|s| fits(at, last, *s)).unwrap_or(0);
        let address = if bits == 32 {
            Ipv4Addr::from_bits(at as u32).into()
        } else {
            IpAddr::from(Ipv6Addr::from_bits(at))
        };
        nets.extend(Net::new(address, (bits - size) as u8));
        let Some(next) = 1u128
            .checked_shl(size as u32)
            .and_then(|step| at.checked_add(step))
        else {
            break;
        };
        at = next;
    }
    nets
}

/// Whether a net of 2^size addresses may begin at `at` and ends by `last`.
fn fits(at: u128, last: u128, size: i32) -> bool {
    let step = if size == 128 {
        u128::MAX
    } else {
        (1u128 << size) - 1
    };
    at & step == 0 && at.checked_add(step).is_some_and(|end| end <= last)
}

/// What the kernel must not answer for: owned ports and identifiers of own addresses, and declared
/// sources.
pub fn owned(policy: &Policy, interfaces: &[Interface]) -> Vec<Owned> {
    let mut owned = Vec::new();
    let own: BTreeSet<IpAddr> = interfaces
        .iter()
        .flat_map(|i| &i.addresses)
        .map(|(a, _)| *a)
        .collect();
    // On a loopback the kernel is the peer: kept out of an identifier, it could not answer.
    let looped: BTreeSet<IpAddr> = interfaces
        .iter()
        .filter(|i| i.is_loopback)
        .flat_map(|i| &i.addresses)
        .map(|(a, _)| *a)
        .collect();
    for address in &own {
        owned.extend(ports(*address, Transport::Tcp, &policy.ports.tcp));
        owned.extend(ports(*address, Transport::Udp, &policy.ports.udp));
        let identifiers = policy
            .ports
            .icmp
            .ranges()
            .flat_map(|(low, high)| low..=high)
            .take(MAX_ROUTES);
        owned.extend(
            identifiers
                .filter(|_| !looped.contains(address))
                .map(|id| Owned::Echo {
                    address: *address,
                    id,
                }),
        );
    }
    let declared = policy
        .sources
        .ranges()
        .into_iter()
        .flat_map(|(low, high)| cover(low, high));
    let single = declared
        .filter(|net| *net == Net::host(net.address()))
        .map(|net| net.address());
    owned.extend(single.filter(|a| !own.contains(a)).map(Owned::Address));
    owned
}

fn ports(address: IpAddr, transport: Transport, set: &PortSet) -> Vec<Owned> {
    set.ranges()
        .map(|(first, last)| Owned::Ports {
            transport,
            address,
            first,
            last,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(low: &str, high: &str, wanted: &[&str]) {
        let nets: Vec<String> = cover(low.parse().unwrap(), high.parse().unwrap())
            .iter()
            .map(Net::to_string)
            .collect();
        assert_eq!(nets, wanted);
    }

    #[test]
    fn ranges_are_covered_by_the_fewest_nets() {
        check("192.0.2.1", "192.0.2.1", &["192.0.2.1/32"]);
        check("192.0.2.0", "192.0.2.255", &["192.0.2.0/24"]);
        check(
            "192.0.2.1",
            "192.0.2.4",
            &["192.0.2.1/32", "192.0.2.2/31", "192.0.2.4/32"],
        );
        check("0.0.0.0", "255.255.255.255", &["0.0.0.0/0"]);
        check("2001:db8::", "2001:db8::ffff", &["2001:db8::/112"]);
    }
}
