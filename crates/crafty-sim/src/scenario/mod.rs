//! A network as data: segments with their nets, switches, routers, links, hosts with their
//! services, portals, routes, background traffic and faults. Addresses that are not given are
//! chosen, routes follow from the shortest paths. A scenario is a file; those that are built in are
//! files too.

mod addressing;
mod builtin;
mod check;
mod generate;
mod read;
mod table;
mod tickets;
pub(crate) mod units;

use crate::faults::Planting;
use crate::link::LinkProperties;
use crate::router::RouterSettings;
use crate::services::Serving;
pub(crate) use builtin::network_named;
pub use builtin::{BuiltinNetwork, networks};
use crafty_value::{Duration, Net};
pub use generate::{Size, generate};
pub(crate) use read::read;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
pub use tickets::{Ticket, Truth, tickets};
pub use units::span;

/// A network that is consistent: names are unique and lead somewhere, nets do not overlap,
/// everything has its addresses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scenario {
    pub name: String,
    pub doc: String,
    /// The link at which a fault is planted when none is named.
    pub trunk: String,
    /// One of several equal paths: the longer one where packets take turns.
    pub detour: String,
    /// The host at which a fault is planted when none is named.
    pub server: String,
    pub name_servers: Vec<IpAddr>,
    /// Hosts that are name servers too, with the line that says so.
    pub name_server_hosts: Vec<(String, usize)>,
    pub segments: Vec<SegmentRow>,
    pub switches: Vec<SwitchRow>,
    pub routers: Vec<RouterRow>,
    pub links: Vec<LinkRow>,
    pub hosts: Vec<HostRow>,
    pub portals: Vec<PortalRow>,
    pub routes: Vec<RouteRow>,
    pub traffic: Vec<TrafficRow>,
    /// What is wrong with the network, and what only looks as if it were.
    pub faults: Vec<Planting>,
}

/// A network of layer 2 with its nets.
#[derive(Clone, Debug)]
pub(crate) struct SegmentRow {
    pub name: String,
    pub line: usize,
    pub v4: (Ipv4Addr, u8),
    pub v6: (Ipv6Addr, u8),
    pub medium: LinkProperties,
    pub kind: SegmentKind,
}

/// What carries a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SegmentKind {
    /// A shared wire: every port hears what any other says.
    Shared,
    /// A VLAN on these switches; the first is where things are connected that name none.
    Vlan { id: u16, switches: Vec<String> },
}

/// A switch.
#[derive(Clone, Debug)]
pub(crate) struct SwitchRow {
    pub name: String,
    pub line: usize,
    /// Bridge priority (IEEE 802.1D §17.14); `None` for a switch without spanning tree.
    pub priority: Option<u16>,
}

/// A router with its legs on segments.
#[derive(Clone, Debug)]
pub(crate) struct RouterRow {
    pub name: String,
    pub line: usize,
    pub legs: Vec<LegRow>,
    pub settings: RouterSettings,
}

/// A router's interface on a segment.
#[derive(Clone, Debug)]
pub(crate) struct LegRow {
    pub segment: String,
    /// The switch it is connected to.
    pub at: Option<String>,
    pub v4: Ipv4Addr,
    pub v6: Ipv6Addr,
}

/// A link between two routers, or two switches.
#[derive(Clone, Debug)]
pub(crate) struct LinkRow {
    pub name: String,
    pub line: usize,
    pub ends: [String; 2],
    pub medium: LinkProperties,
    pub queue: Option<String>,
    /// What the shortest path pays for it.
    pub cost: u32,
    pub v4: [Ipv4Addr; 2],
    pub v6: [Ipv6Addr; 2],
}

/// A host on a segment.
#[derive(Clone, Debug)]
pub(crate) struct HostRow {
    pub name: String,
    pub line: usize,
    pub segment: String,
    pub at: Option<String>,
    pub v4: Ipv4Addr,
    pub v6: Ipv6Addr,
    /// The router it sends through.
    pub via: String,
    pub services: Vec<Serving>,
}

/// A place where a program's host, or a real tool, may stand.
#[derive(Clone, Debug)]
pub(crate) struct PortalRow {
    pub name: String,
    pub line: usize,
    pub doc: String,
    pub segment: String,
    pub at: Option<String>,
    pub v4: Ipv4Addr,
    pub v6: Ipv6Addr,
    pub via: String,
    /// The node whose place the program's host takes: it is switched off.
    pub replaces: Option<String>,
}

/// A route that the shortest paths do not give.
#[derive(Clone, Debug)]
pub(crate) struct RouteRow {
    pub router: String,
    pub line: usize,
    pub net: Net,
    /// The next router; none to discard.
    pub via: Option<String>,
    pub from: Duration,
    pub until: Option<Duration>,
}

/// Traffic that is there whether anybody measures or not.
#[derive(Clone, Debug)]
pub(crate) struct TrafficRow {
    pub line: usize,
    pub from: String,
    pub to: String,
    /// Packets a second, on average.
    pub rate: i64,
    /// Bytes of a datagram.
    pub size: usize,
    pub profile: String,
    pub dscp: u8,
}

impl Scenario {
    pub fn segment(&self, name: &str) -> Option<&SegmentRow> {
        self.segments.iter().find(|it| it.name == name)
    }

    pub fn host(&self, name: &str) -> Option<&HostRow> {
        self.hosts.iter().find(|it| it.name == name)
    }

    pub fn portal(&self, name: &str) -> Option<&PortalRow> {
        self.portals.iter().find(|it| it.name == name)
    }
}
