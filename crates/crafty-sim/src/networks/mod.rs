//! Networks by name, one file each. To add one: write its file and put its name into the list
//! below.
//!
//! A network is data: segments with their nets, routers, links between routers, hosts with their
//! services, and stands for programs. Link addresses, neighbours and routes follow from it
//! (shortest paths; all of the shortest are used).

use crate::attachment::Stand;
use crate::link::Medium;
use crate::services::Serving;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

macro_rules! networks {
    ($($name:ident)*) => {
        $(mod $name;)*
        static NETWORKS: &[&Network] = &[$(&$name::NETWORK),*];
    };
}

networks! {
    demo
}

/// Every network that is built in.
pub fn networks() -> &'static [&'static Network] {
    NETWORKS
}

/// A network.
#[derive(Debug)]
pub struct Network {
    /// What `--lab NAME` calls it.
    pub name: &'static str,
    /// What is in it.
    pub doc: &'static str,
    /// The link at which a fault is planted when none is named.
    pub(crate) trunk: &'static str,
    /// One of several equal paths: the longer one where packets take turns.
    pub(crate) detour: &'static str,
    pub(crate) segments: &'static [Segment],
    pub(crate) routers: &'static [RouterRow],
    pub(crate) links: &'static [LinkRow],
    pub(crate) hosts: &'static [HostRow],
    pub(crate) stands: &'static [Stand],
    pub(crate) name_servers: &'static [IpAddr],
}

/// A shared segment with its nets.
#[derive(Debug)]
pub(crate) struct Segment {
    pub name: &'static str,
    pub v4: (Ipv4Addr, u8),
    pub v6: (Ipv6Addr, u8),
    pub medium: Medium,
}

/// A router, with its legs on segments: segment, IPv4 and IPv6 address.
#[derive(Debug)]
pub(crate) struct RouterRow {
    pub name: &'static str,
    pub legs: &'static [(&'static str, Ipv4Addr, Ipv6Addr)],
}

/// A link between two routers, named after both: `a-b`. Addresses are those of `a` and `b`, in a
/// /30 and a /64.
#[derive(Debug)]
pub(crate) struct LinkRow {
    pub name: &'static str,
    pub medium: Medium,
    pub v4: [Ipv4Addr; 2],
    pub v6: [Ipv6Addr; 2],
}

impl LinkRow {
    /// Names of the two ends.
    pub fn ends(&self) -> [&'static str; 2] {
        let (a, b) = self.name.split_once('-').unwrap_or((self.name, ""));
        [a, b]
    }
}

/// A host on a segment.
#[derive(Debug)]
pub(crate) struct HostRow {
    pub name: &'static str,
    pub segment: &'static str,
    pub v4: Ipv4Addr,
    pub v6: Ipv6Addr,
    /// The router it sends through.
    pub via: &'static str,
    pub services: &'static [Serving],
}
