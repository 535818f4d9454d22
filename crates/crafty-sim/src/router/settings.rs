//! How a router is set up, beside its routes.

use crate::filter::{Filter, Match};
use crate::packet::Head;
use crafty_value::Duration;
use std::net::IpAddr;

/// A router's settings. The defaults are those of a healthy router.
#[derive(Clone, Debug, Default)]
pub(crate) struct RouterSettings {
    pub balancing: Balancing,
    pub icmp: IcmpPolicy,
    pub reverse_path: ReversePath,
    /// Answers ARP for every address that it has a route to (RFC 1027).
    pub proxy_arp: bool,
    /// Rules for what is forwarded, in their order; what none matches is forwarded.
    pub filters: Vec<Filter>,
    /// Next hops that do not follow from the destination alone.
    pub policies: Vec<PolicyRoute>,
    /// Hops that are taken off beside the one that is due.
    pub extra_hops: u8,
}

/// Which of several equal paths a datagram takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Balancing {
    /// The same for all datagrams of a flow: by addresses, protocol and ports. Fragments have no
    /// ports: all go by addresses.
    #[default]
    Flow,
    /// By addresses and protocol alone.
    Addresses,
    /// Each in turn.
    Packet,
    /// As `Flow`, but the first fragment goes by its ports, while the others cannot.
    FirstFragment,
    /// As `Flow`, and by the time to live, which may differ within a flow.
    TimeToLive,
}

/// What a router says in ICMP about what it does not forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IcmpPolicy {
    /// Says anything at all.
    pub says: IcmpErrors,
    /// Least time between errors, beyond a burst.
    pub interval: Option<Duration>,
    /// Most bytes of the datagram that are quoted; as many as RFC 1812 §4.3.2.3 allows if none.
    pub quote: Option<usize>,
    /// Time until an error is on its way.
    pub delay: Duration,
    /// Tells this MTU instead of the next link's.
    pub told_mtu: Option<u16>,
    /// Address that errors come from instead of the interface's.
    pub source: Option<IpAddr>,
}

/// Which errors are said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum IcmpErrors {
    #[default]
    All,
    /// All but "fragmentation needed" and "packet too big".
    NoMtu,
    None,
}

impl Default for IcmpPolicy {
    fn default() -> IcmpPolicy {
        IcmpPolicy {
            says: IcmpErrors::All,
            interval: None,
            quote: None,
            delay: Duration::ZERO,
            told_mtu: None,
            source: None,
        }
    }
}

/// Whether the source must be reachable (RFC 3704).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ReversePath {
    #[default]
    Off,
    /// By any route.
    Loose,
    /// By the interface it came from.
    Strict,
}

/// A next hop for what matches.
#[derive(Clone, Debug)]
pub(crate) struct PolicyRoute {
    pub of: Match,
    pub port: usize,
    pub gateway: IpAddr,
}

impl RouterSettings {
    /// Whether nothing is asked of a datagram beside its route.
    pub fn is_plain(&self) -> bool {
        self.reverse_path == ReversePath::Off
            && self.filters.is_empty()
            && self.policies.is_empty()
            && self.extra_hops == 0
    }

    /// The policy that takes a datagram.
    pub fn policy(&self, head: &Head, datagram: &[u8]) -> Option<&PolicyRoute> {
        self.policies
            .iter()
            .find(|it| it.gateway.is_ipv4() == head.dst.is_ipv4() && it.of.fits(head, datagram))
    }
}

/// The word of a scenario file for a check of sources.
pub(crate) fn reverse_path_named(word: &str) -> Option<ReversePath> {
    match word {
        "off" => Some(ReversePath::Off),
        "loose" => Some(ReversePath::Loose),
        "strict" => Some(ReversePath::Strict),
        _ => None,
    }
}

/// The word of a scenario file for a way of balancing.
pub(crate) fn balancing_named(word: &str) -> Option<Balancing> {
    match word {
        "flow" => Some(Balancing::Flow),
        "addresses" => Some(Balancing::Addresses),
        "packet" => Some(Balancing::Packet),
        _ => None,
    }
}
