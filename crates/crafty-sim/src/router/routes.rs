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

/// Routes, longest prefix first, with a memory of the destinations asked for last.
#[derive(Default)]
pub(crate) struct Routes {
    rows: Vec<RouteEntry>,
    memory: RouteCache,
}

#[derive(Clone)]
struct RouteEntry {
    net: Net,
    bits: u128,
    mask: u128,
    hops: Vec<Hop>,
}

/// Destinations that were looked up, each in the place that its bits choose, with the number of
/// the route that was found (or none). Empty until the first look-up after a change.
#[derive(Default)]
struct RouteCache(Vec<Option<(u128, Option<u32>)>>);

/// Places of the memory; a power of two.
const PLACES: usize = 256;

impl RouteCache {
    fn place(address: u128) -> usize {
        let folded = (address >> 64) as u64 ^ address as u64;
        (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize % PLACES
    }
}

impl Routes {
    /// Adds a way to a net: beside those there are, since they are equally short.
    pub fn add(&mut self, net: Net, hop: Hop) {
        self.memory = RouteCache::default();
        if let Some(route) = self.rows.iter_mut().find(|route| route.net == net) {
            return route.hops.push(hop);
        }
        self.insert(net, vec![hop]);
    }

    /// Puts these ways in the place of all others; without any, datagrams to the net are discarded
    /// silently.
    pub fn set(&mut self, net: Net, hops: Vec<Hop>) {
        self.remove(net);
        self.insert(net, hops);
    }

    /// Takes a net away; gives the ways that there were.
    pub fn remove(&mut self, net: Net) -> Option<Vec<Hop>> {
        self.memory = RouteCache::default();
        let place = self.rows.iter().position(|route| route.net == net)?;
        Some(self.rows.remove(place).hops)
    }

    fn insert(&mut self, net: Net, hops: Vec<Hop>) {
        let route = RouteEntry {
            net,
            bits: bits(net.address()),
            mask: mask(net),
            hops,
        };
        let key = |route: &RouteEntry| (std::cmp::Reverse(route.mask), route.net);
        let place = self.rows.partition_point(|it| key(it) < key(&route));
        self.rows.insert(place, route);
        self.memory = RouteCache::default();
    }

    /// All equal ways to an address; `None` without a route.
    pub fn find(&mut self, address: IpAddr) -> Option<&[Hop]> {
        let address = bits(address);
        let place = RouteCache::place(address);
        if self.memory.0.is_empty() {
            self.memory.0.resize(PLACES, None);
        }
        let number = match self.memory.0[place] {
            Some((known, number)) if known == address => number,
            _ => {
                let number = self.look_up(address);
                self.memory.0[place] = Some((address, number));
                number
            }
        };
        number.map(|number| self.rows[number as usize].hops.as_slice())
    }

    fn look_up(&self, address: u128) -> Option<u32> {
        let fits = |route: &RouteEntry| (address ^ route.bits) & route.mask == 0;
        self.rows.iter().position(fits).map(|it| it as u32)
    }

    /// Nets and the ways to them.
    pub fn rows(&self) -> impl Iterator<Item = (Net, &[Hop])> {
        self.rows
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
            .unwrap_or_default()
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
