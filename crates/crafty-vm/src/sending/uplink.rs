//! The interface of a run: what its frames begin with, routes and neighbours, the gate, and the counts that frames to its peers carry.

use crate::api::Environment;
use crate::api::InterfaceInfo;
use crate::api::LinkLayer;
use crate::building::crafted_flows::CraftedFlows;
use crate::building::identification::Identifications;
use crate::sending::outbox::FrameOutbox;
use crate::sending::outbox::OutgoingFrame;
use crate::sending::routing::ResolvedRoute;
use core::net::IpAddr;
use crafty_policy::Gate;
use crafty_policy::LinkKind;
use crafty_policy::Policy;
use crafty_policy::Reserved;
use crafty_stack::Neighbours;
use crafty_value::Mac;
use crafty_value::Time;
use std::sync::Arc;

/// MTU where no interface tells one: that of Ethernet.
const ETHERNET_MTU: usize = 1500;

/// A frame that waits for its neighbour's address.
#[derive(Debug)]
pub(crate) struct FrameAwaitingNeighbour {
    pub hop: IpAddr,
    pub ready: OutgoingFrame,
}

/// The one interface of a run, and what goes out by it.
#[derive(Debug)]
pub(crate) struct Uplink {
    pub environment: Environment,
    pub outbox: FrameOutbox,
    pub neighbours: Neighbours,
    /// Frames that wait for a neighbour's address.
    pub pending: Vec<FrameAwaitingNeighbour>,
    pub identifications: Identifications,
    /// Flows that the program makes of single segments.
    pub crafted_flows: CraftedFlows,
}

impl Uplink {
    /// By the first interface, until it is settled which one carries the run.
    pub fn new(environment: Environment, policy: Policy, start: Time) -> Uplink {
        let gate = Gate::new(policy, environment.host(0), start, Reserved::default());
        Uplink {
            outbox: FrameOutbox::new(gate, 0, LinkKind::Ethernet),
            neighbours: Neighbours::new(Mac::default(), Vec::new()),
            pending: Vec::new(),
            identifications: Identifications::new(environment.seed),
            crafted_flows: CraftedFlows::default(),
            environment,
        }
    }

    fn interface(&self) -> Option<&InterfaceInfo> {
        self.environment.interfaces.get(self.outbox.interface)
    }

    /// Largest IP datagram of the interface, in bytes.
    pub fn mtu(&self) -> usize {
        self.interface()
            .map_or(ETHERNET_MTU, |info| info.mtu as usize)
    }

    /// What frames of the interface begin with.
    pub fn link(&self) -> LinkLayer {
        self.interface()
            .map_or(LinkLayer::Ethernet, |info| info.link)
    }

    /// The same in the gate's terms.
    pub fn link_kind(&self) -> LinkKind {
        self.interface()
            .map_or(LinkKind::Ethernet, InterfaceInfo::link_kind)
    }

    /// The interface's link address.
    pub fn own_mac(&self) -> Mac {
        self.interface().map(|info| info.mac).unwrap_or_default()
    }

    /// The interface's name.
    pub fn interface_name(&self) -> Arc<str> {
        Arc::from(self.interface().map_or("", |info| info.name.as_str()))
    }

    /// The route to a destination by this interface.
    pub fn route_to(&self, destination: IpAddr) -> Option<ResolvedRoute> {
        self.environment
            .route_to(destination, Some(self.outbox.interface))
    }

    /// Our address to talk to a neighbour from.
    pub fn address_towards(&self, neighbour: IpAddr) -> Option<IpAddr> {
        self.environment
            .address_of(self.outbox.interface, neighbour)
    }
}

/// Neighbours of destinations that are known at the start, still to be resolved.
#[derive(Debug)]
pub(crate) struct StartPhase {
    pub wanted: Vec<IpAddr>,
    /// When the program begins whoever has not answered: no start takes longer than the run may.
    pub gives_up: Time,
}

impl StartPhase {
    /// When something is due next, seen from the neighbours.
    pub fn poll_timeout(&self, neighbours: Option<Time>) -> Option<Time> {
        Some(neighbours.map_or(self.gives_up, |due| due.min(self.gives_up)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_those_of_the_interface_and_without_one_those_of_ethernet() {
        let bare = Uplink::new(Environment::default(), Policy::default(), Time(0));
        assert_eq!(
            (bare.mtu(), bare.link()),
            (ETHERNET_MTU, LinkLayer::Ethernet)
        );
        assert_eq!(bare.interface_name().as_ref(), "");
        let to = IpAddr::from([192, 0, 2, 7]);
        assert_eq!(bare.route_to(to), None);
        let tunnel = InterfaceInfo {
            name: "tun0".into(),
            mac: Mac::default(),
            mtu: 1400,
            addresses: vec![(IpAddr::from([192, 0, 2, 1]), 24)],
            link: LinkLayer::RawIp,
        };
        let environment = Environment {
            interfaces: vec![tunnel],
            ..Environment::default()
        };
        let uplink = Uplink::new(environment, Policy::default(), Time(0));
        assert_eq!((uplink.mtu(), uplink.link()), (1400, LinkLayer::RawIp));
        assert_eq!(uplink.link_kind(), LinkKind::RawIp);
        assert_eq!(uplink.route_to(to).map(|route| route.next_hop), Some(to));
        let own = Some(IpAddr::from([192, 0, 2, 1]));
        assert_eq!(uplink.address_towards(to), own);
    }
}
