//! Where a program's host is in a network, and what it learns of its place.

use crafty_value::Mac;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The port of one host of ours in a lab.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PortId(pub(crate) usize);

/// What a host of ours learns of its place: as much as DHCP and router advertisements would.
#[derive(Clone, Debug)]
pub struct Attachment {
    /// Handle for [`crate::Lab::send`] and [`crate::Lab::receive`].
    pub port: PortId,
    /// Name of the portal.
    pub portal: String,
    /// Our link address.
    pub mac: Mac,
    /// Most bytes of a datagram on the segment.
    pub mtu: usize,
    /// Our addresses with their prefix lengths: IPv4, global IPv6, link-local IPv6.
    pub addresses: Vec<(IpAddr, u8)>,
    /// Next hop of IPv4 for all that is not on the segment; its link address is to be asked for
    /// (ARP).
    pub gateway_v4: Option<Ipv4Addr>,
    /// Next hop of IPv6, likewise (neighbour discovery).
    pub gateway_v6: Option<Ipv6Addr>,
    /// DNS servers of the network.
    pub name_servers: Vec<IpAddr>,
}
