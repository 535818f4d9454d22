//! A router: forwards IPv4 and IPv6, and says in ICMP what it did not forward (RFC 1812, RFC 4443).
//! It has no TCP.

mod neighbours;
pub(crate) mod refusal;
mod routes;
mod settings;

use crate::dice::mix;
use crate::filter::{self, Action};
use crate::node::Outbox;
use crate::packet::{self, ETHERNET, Head};
use crate::reassembly::Joiner;
use crafty_value::{Duration, Mac, Net, Time};
use neighbours::{NeighbourAction, RouterNeighbours, WaitingFrame};
use refusal::Refusal;
pub(crate) use routes::{Hop, Routes};
pub(crate) use settings::{
    Balancing, IcmpErrors, IcmpPolicy, PolicyRoute, ReversePath, RouterSettings, balancing_named,
    reverse_path_named,
};
use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Hops that a router's own datagrams may take.
const TTL: u8 = 255;

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

/// ICMP errors that may follow at once when their rate is limited.
const ICMP_BURST: i64 = 6;
/// ICMP errors that wait at a time.
const LATER: usize = 4096;

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
            _ => out.drops.push("a protocol that is not routed"),
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
                return out.drops.push("the source is not reached that way");
            }
            match filter::decide(&self.settings.filters, head, datagram) {
                Action::Permit => {}
                Action::Drop => return out.drops.push("a rule of the router"),
                Action::Prohibit => {
                    return self.refuse(now, port, refusal::PROHIBITED, head, datagram, out);
                }
            }
        }
        let hop = match self.choose(head, datagram) {
            Choice::Hop(hop) => hop,
            Choice::Discard => return out.drops.push("a route that discards"),
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

    /// A datagram to one of the router's own addresses, whole or in pieces.
    fn on_own(&mut self, now: Time, port: usize, head: &Head, frame: &[u8], out: &mut Outbox) {
        if head.offset > 0 || head.more {
            let whole = self.joiner.take(now, frame.to_vec());
            if let Some(whole) = whole
                && let Ok(head) = Head::read(&whole[ETHERNET..])
            {
                self.on_own(now, port, &head, &whole, out);
            }
            return;
        }
        let datagram = &frame[ETHERNET..];
        match (head.proto, head.icmp_type(datagram)) {
            (packet::ICMP, Some(8)) | (packet::ICMP6, Some(128)) => {
                self.echo(now, port, head.dst, head, datagram, out)
            }
            (packet::ICMP6, Some(135 | 136)) => self.on_neighbour(now, port, head, frame, out),
            (packet::ICMP | packet::ICMP6, _) => {}
            (packet::UDP, _) => self.refuse(now, port, refusal::NO_PORT, head, datagram, out),
            (packet::TCP, _) => out.drops.push("TCP for the router itself"),
            _ => self.refuse(now, port, refusal::NO_PROTOCOL, head, datagram, out),
        }
    }

    /// A datagram to a group: only what all nodes or all routers are asked.
    fn on_group(&mut self, now: Time, port: usize, head: &Head, frame: &[u8], out: &mut Outbox) {
        let datagram = &frame[ETHERNET..];
        match head.icmp_type(datagram) {
            Some(135 | 136) if head.proto == packet::ICMP6 => {
                self.on_neighbour(now, port, head, frame, out)
            }
            Some(128) if head.proto == packet::ICMP6 => {
                self.echo(now, port, self.address(port, head.src), head, datagram, out)
            }
            _ => {}
        }
    }

    fn echo(
        &mut self,
        now: Time,
        port: usize,
        from: IpAddr,
        head: &Head,
        datagram: &[u8],
        out: &mut Outbox,
    ) {
        let mut message = head.upper(datagram).to_vec();
        if message.len() < 8 {
            return;
        }
        message[0] = if head.proto == packet::ICMP { 0 } else { 129 };
        packet::seal_icmp(from, head.src, &mut message);
        self.say(now, port, from, head.src, &message, out);
    }

    /// Refuses a datagram in ICMP, where that is allowed (RFC 1812 §4.3.2.7, RFC 4443 §2.4).
    fn refuse(
        &mut self,
        now: Time,
        port: usize,
        refusal: Refusal,
        head: &Head,
        datagram: &[u8],
        out: &mut Outbox,
    ) {
        out.drops.push(refusal.reason);
        let policy = self.settings.icmp;
        let says = match policy.says {
            IcmpErrors::All => true,
            IcmpErrors::NoMtu => !refusal.is_about_mtu(),
            IcmpErrors::None => false,
        };
        if !says || !may_be_refused(head, datagram) || !self.may_complain(now) {
            return;
        }
        let Some(mut message) = refusal.message(head.dst.is_ipv4(), datagram, &policy) else {
            return;
        };
        let own = self.address(port, head.src);
        let from = policy
            .source
            .filter(|it| it.is_ipv4() == own.is_ipv4())
            .unwrap_or(own);
        packet::seal_icmp(from, head.src, &mut message);
        if policy.delay == Duration::ZERO {
            return self.say(now, port, from, head.src, &message, out);
        }
        if self.later.len() < LATER {
            self.later
                .push_back((now.after(policy.delay), port, from, head.src, message));
        }
    }

    /// Whether one more ICMP error is within the rate.
    fn may_complain(&mut self, now: Time) -> bool {
        let Some(interval) = self.settings.icmp.interval else {
            return true;
        };
        let next = self.icmp_next.max(now);
        let allowed = next.since(now).0 <= interval.0.saturating_mul(ICMP_BURST - 1);
        if allowed {
            self.icmp_next = next.after(interval);
        }
        allowed
    }

    /// Sends an ICMP message of the router's own.
    fn say(
        &mut self,
        now: Time,
        port: usize,
        from: IpAddr,
        to: IpAddr,
        message: &[u8],
        out: &mut Outbox,
    ) {
        self.id = self.id.wrapping_add(1);
        let proto = if to.is_ipv4() {
            packet::ICMP
        } else {
            packet::ICMP6
        };
        let frame = packet::framed(&packet::datagram(from, to, proto, TTL, self.id, message));
        let Ok(head) = Head::read(&frame[ETHERNET..]) else {
            return;
        };
        let on_link = matches!(to, IpAddr::V6(to) if to.is_unicast_link_local());
        let hop = if on_link {
            Choice::Hop(Hop {
                port,
                gateway: None,
            })
        } else {
            self.choose(&head, &frame[ETHERNET..])
        };
        match hop {
            Choice::Hop(hop) if !self.holds(to) => self.dispatch(now, hop, &head, frame, None, out),
            _ => out.drops.push("no route for the router's own message"),
        }
    }

    /// Tells the sender of a datagram for the router itself that pieces of it are missing.
    fn give_up_fragments(&mut self, now: Time, first: &[u8], out: &mut Outbox) {
        let to = packet::ethernet(first).map(|it| it.1);
        let port = self.interfaces.iter().position(|it| Some(it.mac) == to);
        if let (Ok(head), Some(port)) = (Head::read(&first[ETHERNET..]), port) {
            self.refuse(
                now,
                port,
                refusal::NEVER_WHOLE,
                &head,
                &first[ETHERNET..],
                out,
            );
        }
    }

    fn give_up(&mut self, now: Time, waiting: WaitingFrame, out: &mut Outbox) {
        let datagram = &waiting.frame[ETHERNET..];
        match (Head::read(datagram), waiting.arrival) {
            (Ok(head), Some(port)) => {
                self.refuse(now, port, refusal::NO_NEIGHBOUR, &head, datagram, out)
            }
            _ => out.drops.push(refusal::NO_NEIGHBOUR.reason),
        }
    }

    /// Asks for a neighbour's link address.
    fn ask(&self, port: usize, address: IpAddr, out: &mut Outbox) {
        let interface = &self.interfaces[port];
        let question = match address {
            IpAddr::V4(address) => {
                packet::arp(1, (interface.mac, interface.v4.0), (Mac([0; 6]), address))
            }
            IpAddr::V6(address) => {
                let from = if address.is_unicast_link_local() {
                    interface.link_local
                } else {
                    interface.v6.0
                };
                packet::neighbour(
                    135,
                    (interface.mac, from),
                    packet::solicited_node(address),
                    address,
                    interface.mac,
                )
            }
        };
        out.say(port, question);
    }

    /// RFC 826: whoever asks us is worth knowing; whoever is known may have changed; and we answer
    /// for our own address.
    fn on_arp(&mut self, now: Time, port: usize, arp: &[u8], out: &mut Outbox) {
        let Some((operation, sender, target)) = packet::read_arp(arp) else {
            return out.drops.push("an ARP packet that cannot be read");
        };
        let interface = &self.interfaces[port];
        let (mac, own) = (interface.mac, interface.v4.0);
        if self.is_neighbour(port, sender.1.into()) {
            self.learn(
                now,
                port,
                sender.1.into(),
                sender.0,
                target == own && operation == 1,
                out,
            );
        }
        let proxied = self.settings.proxy_arp
            && operation == 1
            && target != sender.1
            && !target.is_unspecified();
        if proxied && target != own {
            out.say(port, packet::arp(2, (mac, target), sender));
        }
        if operation == 1 && target == own {
            out.say(port, packet::arp(2, (mac, own), sender));
        }
    }

    /// RFC 4861 §7.2: as with ARP, and never from more than a hop away.
    fn on_neighbour(
        &mut self,
        now: Time,
        port: usize,
        head: &Head,
        frame: &[u8],
        out: &mut Outbox,
    ) {
        let message = head.upper(&frame[ETHERNET..]);
        let (Some((target, told)), IpAddr::V6(src), 255) =
            (packet::read_neighbour(message), head.src, head.ttl)
        else {
            return;
        };
        let asks = message.first() == Some(&135);
        let interface = &self.interfaces[port];
        let (mac, ours) = (
            interface.mac,
            target == interface.v6.0 || target == interface.link_local,
        );
        let about = if asks { src } else { target };
        if let Some(told) = told.filter(|_| self.is_neighbour(port, about.into())) {
            self.learn(now, port, about.into(), told, asks && ours, out);
        }
        if asks && ours && !src.is_unspecified() {
            let to = told
                .or(packet::ethernet(frame).map(|(from, ..)| from))
                .unwrap_or(Mac::BROADCAST);
            let answer = packet::neighbour(136, (mac, target), (to, src), target, mac);
            out.say(port, answer);
        }
    }

    /// Whether an address can be one of a neighbour's on a port, and is not our own.
    fn is_neighbour(&self, port: usize, address: IpAddr) -> bool {
        let interface = &self.interfaces[port];
        let on_link = match address {
            IpAddr::V4(_) => Net::new(interface.v4.0.into(), interface.v4.1)
                .is_some_and(|net| net.contains(address)),
            IpAddr::V6(it) if it.is_unicast_link_local() => true,
            IpAddr::V6(_) => Net::new(interface.v6.0.into(), interface.v6.1)
                .is_some_and(|net| net.contains(address)),
        };
        on_link && !self.holds(address)
    }

    fn learn(
        &mut self,
        now: Time,
        port: usize,
        address: IpAddr,
        mac: Mac,
        welcome: bool,
        out: &mut Outbox,
    ) {
        for waiting in self.neighbours.learn(now, port, address, mac, welcome) {
            self.deliver(now, port, address, waiting, out);
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

pub(crate) fn may_be_refused(head: &Head, datagram: &[u8]) -> bool {
    let is_error = match head.icmp_type(datagram) {
        Some(kind) if head.dst.is_ipv4() => matches!(kind, 3 | 4 | 5 | 11 | 12),
        Some(kind) => kind < 128,
        None => false,
    };
    head.offset == 0 && !is_error && is_routable(head.src)
}
