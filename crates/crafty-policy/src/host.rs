//! The host that frames leave from: start conditions that the caller gives.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::net::IpAddr;
use crafty_value::{Mac, Net};

/// Addresses of the host and of its neighbours, as they were at the start.
#[derive(Clone, Debug, Default)]
pub struct HostAddresses {
    /// Name of the interface that frames leave by.
    pub interface: String,
    /// Its MAC addresses; on loopback the zero address, on a tunnel none.
    pub macs: Vec<Mac>,
    /// Its addresses, each with its prefix length.
    pub addresses: Vec<(IpAddr, u8)>,
    /// Addresses of the host's other interfaces, each with its prefix length.
    pub others: Vec<(IpAddr, u8)>,
    /// Next hops that may be resolved although they are not destinations.
    pub gateways: Vec<IpAddr>,
    /// MAC addresses of next hops known at the start; `Gate::learn` adds more.
    pub neighbours: BTreeMap<IpAddr, Mac>,
    /// Largest IP datagram on the interface, in bytes; with zero nothing leaves.
    pub mtu: usize,
    /// Prefixes by which local translators carry IPv4 addresses in IPv6 ones (RFC 6052), besides
    /// the well-known.
    pub nat64: Vec<Net>,
}

impl HostAddresses {
    /// Whether the address is one of the interface's, which frames may come from.
    pub fn owns(&self, address: IpAddr) -> bool {
        self.addresses.iter().any(|&(own, _)| own == address)
    }

    /// Whether the address is any of the host's.
    pub fn is_local(&self, address: IpAddr) -> bool {
        self.owns(address) || self.others.iter().any(|&(own, _)| own == address)
    }

    /// Whether the address is on a net of the interface, so that it is its own next hop.
    pub fn on_link(&self, address: IpAddr) -> bool {
        link_local(address)
            || self
                .addresses
                .iter()
                .any(|&(own, bits)| Net::new(own, bits).is_some_and(|net| net.contains(address)))
    }

    /// Whether the address is the first or last of a local IPv4 net, which its hosts take for all
    /// of them (RFC 922 §7).
    pub fn is_directed_broadcast(&self, address: IpAddr) -> bool {
        self.addresses
            .iter()
            .chain(&self.others)
            .any(|&(own, bits)| {
                own.is_ipv4()
                    && bits < 31
                    && Net::new(own, bits)
                        .is_some_and(|net| net.last() == address || net.address() == address)
            })
    }
}

fn link_local(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(a) if a.is_unicast_link_local())
}
