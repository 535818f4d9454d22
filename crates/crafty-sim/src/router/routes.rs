//! Routes by longest prefix, both versions in one table.

use crate::packet::bits;
use crafty_value::Net;
use std::net::IpAddr;

/// Where a datagram goes next: out of a port, to a gateway or to the destination itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hop {
    pub port: usize,
    pub gateway: Option<IpAddr>,
}

/// Routes, longest prefix first.
#[derive(Default)]
pub(crate) struct Routes(Vec<Route>);

struct Route {
    net: Net,
    mask: u128,
    hops: Vec<Hop>,
}

impl Routes {
    /// Adds a way to a net: beside those there are, since they are equally short.
    pub fn add(&mut self, net: Net, hop: Hop) {
        if let Some(route) = self.0.iter_mut().find(|route| route.net == net) {
            return route.hops.push(hop);
        }
        self.0.push(Route {
            net,
            mask: mask(net),
            hops: vec![hop],
        });
        self.0
            .sort_by_key(|route| (std::cmp::Reverse(route.mask), route.net));
    }

    /// Puts one way in the place of all others.
    pub fn replace(&mut self, net: Net, hop: Hop) {
        self.0.retain(|route| route.net != net);
        self.add(net, hop);
    }

    /// All equal ways to an address.
    pub fn find(&self, address: IpAddr) -> &[Hop] {
        let address = bits(address);
        let route = self
            .0
            .iter()
            .find(|route| (address ^ bits(route.net.address())) & route.mask == 0);
        route.map_or(&[], |route| &route.hops)
    }

    /// Nets and the ways to them.
    pub fn rows(&self) -> impl Iterator<Item = (Net, &[Hop])> {
        self.0
            .iter()
            .map(|route| (route.net, route.hops.as_slice()))
    }
}

fn mask(net: Net) -> u128 {
    let length = u32::from(net.prefix()) + if net.address().is_ipv4() { 96 } else { 0 };
    u128::MAX.checked_shl(128 - length).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(address: &str, ports: &[usize]) {
        let mut routes = Routes::default();
        for (net, prefix, port) in [
            ("0.0.0.0", 0, 1),
            ("10.0.0.0", 8, 2),
            ("10.1.0.0", 16, 3),
            ("10.1.0.0", 16, 4),
            ("2001:db8::", 32, 5),
            ("10.1.2.3", 32, 6),
        ] {
            routes.add(
                Net::new(net.parse().unwrap(), prefix).unwrap(),
                Hop {
                    port,
                    gateway: None,
                },
            );
        }
        let found: Vec<usize> = routes
            .find(address.parse().unwrap())
            .iter()
            .map(|hop| hop.port)
            .collect();
        assert_eq!(found, ports, "{address}");
    }

    #[test]
    fn the_longest_prefix_wins() {
        check("192.0.2.1", &[1]);
        check("10.9.9.9", &[2]);
        check("10.1.2.4", &[3, 4]);
        check("10.1.2.3", &[6]);
        check("2001:db8::1", &[5]);
        check("2001:db9::1", &[]);
    }
}
