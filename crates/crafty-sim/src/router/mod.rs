//! A router: forwards IPv4 and IPv6, and says in ICMP what it did not forward (RFC 1812, RFC 4443).
//! It has no TCP.

mod messages;
mod neighbours;
pub(crate) mod refusal;
mod resolution;
mod routes;
mod settings;

use crate::dice::mix;
use crate::filter::{self, Action};
use crate::node::Outbox;
use crate::packet::{self, ETHERNET, Head};
use crate::reassembly::Joiner;
use crafty_value::{Mac, Time};
pub(crate) use messages::may_be_refused;
use neighbours::{NeighbourAction, RouterNeighbours, WaitingFrame};
use refusal::Refusal;
pub(crate) use routes::{Hop, Routes};
pub(crate) use settings::{
    Balancing, IcmpErrors, IcmpPolicy, PolicyRoute, ReversePath, RouterSettings, balancing_named,
    reverse_path_named,
};
use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A router.
pub(crate) struct Router {
    pub interfaces: Vec<RouterInterface>,
    pub routes: Routes,
    pub settings: RouterSettings,
    icmp_next: Time,
    /// Errors that wait until their time has come.
    later: VecDeque<(Time, usize, IpAddr, IpAddr, Vec<u8>)>,
    neighbours: RouterNeighbours,
    joiner: Joiner,
    hash_seed: u64,
    turn: usize,
    id: u16,
}

/// Where a datagram goes.
enum Choice {
    Hop(Hop),
    Discard,
    NoRoute,
}

/// One of a router's interfaces; its number is that of the port.
#[derive(Debug)]
pub(crate) struct RouterInterface {
    pub mac: Mac,
    pub v4: (Ipv4Addr, u8),
    pub v6: (Ipv6Addr, u8),
    pub link_local: Ipv6Addr,
    pub mtu: usize,
}

impl RouterInterface {
    /// Its addresses that others may name as a gateway.
    pub fn addresses(&self) -> [IpAddr; 2] {
        [self.v4.0.into(), self.v6.0.into()]
    }
}

impl Router {
    /// A router without interfaces; the seed fixes which of equal paths a flow takes.
    pub fn new(hash_seed: u64) -> Router {
        Router {
            interfaces: Vec::new(),
            routes: Routes::default(),
            settings: RouterSettings::default(),
            icmp_next: Time(0),
            later: VecDeque::new(),
            neighbours: RouterNeighbours::default(),
            joiner: Joiner::default(),
            hash_seed,
            turn: 0,
            id: 0,
        }
    }

    pub fn add_interface(&mut self, interface: RouterInterface) {
        self.interfaces.push(interface);
    }

    /// Knows a neighbour without asking.
    pub fn know(&mut self, port: usize, address: IpAddr, mac: Mac) {
        self.neighbours.know(port, address, mac);
    }

    pub fn on_frame(&mut self, now: Time, port: usize, frame: Vec<u8>, out: &mut Outbox) {
        let Some((_, to, ether_type)) = packet::ethernet(&frame) else {
            return;
        };
        if !to.is_group()
            && self
                .interfaces
                .get(port)
                .is_none_or(|interface| interface.mac != to)
        {
            return;
        }
        match ether_type {
            packet::TYPE_ARP => self.on_arp(now, port, &frame[ETHERNET..], out),
            packet::TYPE_IP4 | packet::TYPE_IP6 => self.on_datagram(now, port, frame, out),
            _ => out.drops.push("a protocol that routers do not forward"),
        }
    }

    pub fn on_wake(&mut self, now: Time, out: &mut Outbox) {
        while let Some((at, ..)) = self.later.front()
            && *at <= now
            && let Some((_, port, from, to, message)) = self.later.pop_front()
        {
            self.say(now, port, from, to, &message, out);
        }
        for first in self.joiner.expired(now) {
            self.give_up_fragments(now, &first, out);
        }
        for (port, address, due) in self.neighbours.due(now) {
            match due {
                NeighbourAction::AskAgain => self.ask(port, address, out),
                NeighbourAction::GiveUp(waiting) => waiting
                    .into_iter()
                    .for_each(|it| self.give_up(now, it, out)),
            }
        }
    }

    pub fn wake_at(&self) -> Option<Time> {
        let later = self.later.front().map(|it| it.0);
        [self.neighbours.next_at(), later, self.joiner.next_at()]
            .into_iter()
            .flatten()
            .min()
    }

    fn on_datagram(&mut self, now: Time, port: usize, mut frame: Vec<u8>, out: &mut Outbox) {
        let head = match Head::read(&frame[ETHERNET..]) {
            Ok(head) => head,
            Err(reason) => return out.drops.push(reason),
        };
        frame.truncate(ETHERNET + head.total);
        if self.holds(head.dst) {
            self.on_own(now, port, &head, &frame, out);
        } else if head.dst.is_multicast() || head.dst == IpAddr::V4(Ipv4Addr::BROADCAST) {
            self.on_group(now, port, &head, &frame, out);
        } else if frame[0] & 1 == 0 && is_routable(head.src) && is_routable(head.dst) {
            self.forward(now, port, &head, frame, out);
        }
    }

    /// Forwards a datagram, or refuses it; what is quoted is the datagram as it came.
    fn forward(
        &mut self,
        now: Time,
        port: usize,
        head: &Head,
        mut frame: Vec<u8>,
        out: &mut Outbox,
    ) {
        let datagram = &frame[ETHERNET..];
        if head.ttl <= 1 + self.settings.extra_hops {
            return self.refuse(now, port, refusal::TTL_SPENT, head, datagram, out);
        }
        if !self.settings.is_plain() {
            if !self.may_come_from(port, head.src) {
                return out.drops.push("the source has another return path");
            }
            match filter::decide(&self.settings.filters, head, datagram) {
                Action::Permit => {}
                Action::Drop => return out.drops.push("a filter rule of the router"),
                Action::Prohibit => {
                    return self.refuse(now, port, refusal::PROHIBITED, head, datagram, out);
                }
            }
        }
        let hop = match self.choose(head, datagram) {
            Choice::Hop(hop) => hop,
            Choice::Discard => return out.drops.push("a discard route"),
            Choice::NoRoute => {
                return self.refuse(now, port, refusal::NO_ROUTE, head, datagram, out);
            }
        };
        let mtu = self.interfaces[hop.port].mtu;
        if head.total > mtu && head.df {
            return self.refuse(now, port, Refusal::too_big(mtu), head, datagram, out);
        }
        for _ in 0..self.settings.extra_hops {
            packet::lower_ttl(&mut frame[ETHERNET..]);
        }
        packet::lower_ttl(&mut frame[ETHERNET..]);
        self.dispatch(now, hop, head, frame, Some(port), out);
    }

    /// Sends a datagram to its next hop, in fragments if it must be.
    fn dispatch(
        &mut self,
        now: Time,
        hop: Hop,
        head: &Head,
        frame: Vec<u8>,
        arrival: Option<usize>,
        out: &mut Outbox,
    ) {
        let mtu = self.interfaces[hop.port].mtu;
        let next = hop.gateway.unwrap_or(head.dst);
        if head.total <= mtu {
            return self.deliver(now, hop.port, next, WaitingFrame { frame, arrival }, out);
        }
        if head.dst.is_ipv6() {
            return out.drops.push(Refusal::too_big(mtu).reason);
        }
        for fragment in packet::fragments(&frame[ETHERNET..], head, mtu) {
            self.deliver(
                now,
                hop.port,
                next,
                WaitingFrame {
                    frame: packet::framed(&fragment),
                    arrival,
                },
                out,
            );
        }
    }

    /// Puts a frame on the segment, or lets it wait for the neighbour's link address.
    fn deliver(
        &mut self,
        now: Time,
        port: usize,
        next: IpAddr,
        mut waiting: WaitingFrame,
        out: &mut Outbox,
    ) {
        if let Some(mac) = self.neighbours.find(port, next) {
            let ether_type = if next.is_ipv4() {
                packet::TYPE_IP4
            } else {
                packet::TYPE_IP6
            };
            packet::address(
                &mut waiting.frame,
                self.interfaces[port].mac,
                mac,
                ether_type,
            );
            return out.say(port, waiting.frame);
        }
        match self.neighbours.wait(now, port, next, waiting) {
            Ok(true) => self.ask(port, next, out),
            Ok(false) => {}
            Err(reason) => out.drops.push(reason),
        }
    }

    /// Whether a source may come in at a port (RFC 3704 §2).
    fn may_come_from(&mut self, port: usize, src: IpAddr) -> bool {
        match self.settings.reverse_path {
            ReversePath::Off => true,
            ReversePath::Loose => self.routes.find(src).is_some(),
            ReversePath::Strict => self
                .routes
                .find(src)
                .is_some_and(|hops| hops.iter().any(|hop| hop.port == port)),
        }
    }

    /// One of the equal ways to a destination, as the balancing says; a policy goes before.
    fn choose(&mut self, head: &Head, datagram: &[u8]) -> Choice {
        if let Some(policy) = self.settings.policy(head, datagram) {
            return Choice::Hop(Hop {
                port: policy.port,
                gateway: Some(policy.gateway),
            });
        }
        let balancing = self.settings.balancing;
        let Some(hops) = self.routes.find(head.dst) else {
            return Choice::NoRoute;
        };
        let index = match (hops.len(), balancing) {
            (0, _) => return Choice::Discard,
            (1, _) => 0,
            (_, Balancing::Packet) => {
                self.turn = self.turn.wrapping_add(1);
                self.turn
            }
            _ => flow(self.hash_seed, balancing, head, datagram) as usize,
        };
        Choice::Hop(hops[index % hops.len()])
    }

    fn holds(&self, address: IpAddr) -> bool {
        self.interfaces
            .iter()
            .any(|it| address == it.v4.0 || address == it.v6.0 || address == it.link_local)
    }

    /// The router's address on a port, of the version of `peer`.
    fn address(&self, port: usize, peer: IpAddr) -> IpAddr {
        let interface = &self.interfaces[port];
        match peer {
            IpAddr::V4(_) => interface.v4.0.into(),
            IpAddr::V6(peer) if peer.is_unicast_link_local() => interface.link_local.into(),
            IpAddr::V6(_) => interface.v6.0.into(),
        }
    }
}

/// A number for the flow of a datagram, of what the balancing looks at.
fn flow(seed: u64, balancing: Balancing, head: &Head, datagram: &[u8]) -> u64 {
    match balancing {
        Balancing::Addresses => packet::hash(seed, [head.src, head.dst], head.proto, 0),
        Balancing::FirstFragment => {
            let ports = head.ports(datagram).map_or(0, u32::from_be_bytes);
            packet::hash(seed, [head.src, head.dst], head.proto, ports)
        }
        Balancing::TimeToLive => mix(packet::flow_hash(seed, head, datagram) ^ u64::from(head.ttl)),
        Balancing::Flow | Balancing::Packet => packet::flow_hash(seed, head, datagram),
    }
}

/// Addresses that may be on the other side of a router (RFC 1812 §5.3.7, RFC 4291 §2.5.6).
fn is_routable(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(it) => {
            !(it.is_unspecified()
                || it.is_loopback()
                || it.is_multicast()
                || it.is_broadcast()
                || it.octets()[0] == 0)
        }
        IpAddr::V6(it) => {
            !(it.is_unspecified()
                || it.is_loopback()
                || it.is_multicast()
                || it.is_unicast_link_local())
        }
    }
}
