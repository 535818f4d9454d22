//! A router: forwards IPv4 and IPv6, and says in ICMP what it did not forward (RFC 1812, RFC 4443).
//! It has no TCP.

mod neighbours;
mod refusal;
mod routes;

use crate::dice::mix;
use crate::node::Outbox;
use crate::packet::{self, ETHERNET, Head};
use crafty_value::{Duration, Mac, Net, Time};
use neighbours::{Due, Neighbours, Waiting};
use refusal::Refusal;
pub(crate) use routes::{Hop, Routes};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Hops that a router's own datagrams may take.
const TTL: u8 = 255;

/// A router.
pub(crate) struct Router {
    pub interfaces: Vec<Interface>,
    pub routes: Routes,
    /// Takes equal paths in turn instead of one for each flow.
    pub per_packet: bool,
    /// Least time between ICMP errors, beyond a burst of [`ICMP_BURST`].
    pub icmp_interval: Option<Duration>,
    /// Says nothing in ICMP about what it does not forward.
    pub silent: bool,
    icmp_next: Time,
    neighbours: Neighbours,
    hash_seed: u64,
    turn: usize,
    id: u16,
}

/// ICMP errors that may follow at once when their rate is limited.
const ICMP_BURST: i64 = 6;

/// One of a router's interfaces; its number is that of the port.
#[derive(Debug)]
pub(crate) struct Interface {
    pub mac: Mac,
    pub v4: (Ipv4Addr, u8),
    pub v6: (Ipv6Addr, u8),
    pub link_local: Ipv6Addr,
    pub mtu: usize,
}

impl Interface {
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
            per_packet: false,
            icmp_interval: None,
            silent: false,
            icmp_next: Time(0),
            neighbours: Neighbours::default(),
            hash_seed,
            turn: 0,
            id: 0,
        }
    }

    pub fn add_interface(&mut self, interface: Interface) {
        self.interfaces.push(interface);
    }

    pub fn add_route(&mut self, net: Net, port: usize, gateway: Option<IpAddr>) {
        self.routes.add(net, Hop { port, gateway });
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
        for (port, address, due) in self.neighbours.due(now) {
            match due {
                Due::AskAgain => self.ask(port, address, out),
                Due::GiveUp(waiting) => waiting
                    .into_iter()
                    .for_each(|it| self.give_up(now, it, out)),
            }
        }
    }

    pub fn wake_at(&self) -> Option<Time> {
        self.neighbours.next_at()
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
        if head.ttl <= 1 {
            return self.refuse(now, port, refusal::TTL_SPENT, head, &frame[ETHERNET..], out);
        }
        let Some(hop) = self.choose(head, &frame[ETHERNET..]) else {
            return self.refuse(now, port, refusal::NO_ROUTE, head, &frame[ETHERNET..], out);
        };
        let mtu = self.interfaces[hop.port].mtu;
        if head.total > mtu && head.df {
            return self.refuse(
                now,
                port,
                Refusal::too_big(mtu),
                head,
                &frame[ETHERNET..],
                out,
            );
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
            return self.deliver(now, hop.port, next, Waiting { frame, arrival }, out);
        }
        if head.dst.is_ipv6() {
            return out.drops.push(Refusal::too_big(mtu).reason);
        }
        for fragment in packet::fragments(&frame[ETHERNET..], head, mtu) {
            self.deliver(
                now,
                hop.port,
                next,
                Waiting {
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
        mut waiting: Waiting,
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
            return out.frames.push((port, waiting.frame));
        }
        match self.neighbours.wait(now, port, next, waiting) {
            Ok(true) => self.ask(port, next, out),
            Ok(false) => {}
            Err(reason) => out.drops.push(reason),
        }
    }

    /// One of the equal ways to a destination: the same for all datagrams of a flow, unless they
    /// take turns.
    fn choose(&mut self, head: &Head, datagram: &[u8]) -> Option<Hop> {
        let hops = self.routes.find(head.dst);
        if hops.len() < 2 {
            return hops.first().copied();
        }
        let index = if self.per_packet {
            self.turn = self.turn.wrapping_add(1);
            self.turn
        } else {
            self.flow(head, datagram) as usize
        };
        hops.get(index % hops.len()).copied()
    }

    /// A number for the flow of a datagram: of addresses and protocol, and of ports unless it is a
    /// fragment.
    fn flow(&self, head: &Head, datagram: &[u8]) -> u64 {
        let ports = head
            .ports(datagram)
            .filter(|_| !head.more)
            .map_or(0, u32::from_be_bytes);
        let fold = |state: u64, word: u128| mix(mix(state ^ word as u64) ^ (word >> 64) as u64);
        [
            packet::bits(head.src),
            packet::bits(head.dst),
            u128::from(head.proto) << 32 | u128::from(ports),
        ]
        .into_iter()
        .fold(self.hash_seed, fold)
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

    /// A datagram to one of the router's own addresses.
    fn on_own(&mut self, now: Time, port: usize, head: &Head, frame: &[u8], out: &mut Outbox) {
        let datagram = &frame[ETHERNET..];
        match (head.proto, head.icmp_type(datagram)) {
            _ if head.offset > 0 || head.more => out.drops.push("a fragment for the router itself"),
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
        if self.silent || !may_be_refused(head, datagram) || !self.may_complain(now) {
            return;
        }
        let Some(mut message) = refusal.message(head.dst.is_ipv4(), datagram) else {
            return;
        };
        let from = self.address(port, head.src);
        packet::seal_icmp(from, head.src, &mut message);
        self.say(now, port, from, head.src, &message, out);
    }

    /// Whether one more ICMP error is within the rate.
    fn may_complain(&mut self, now: Time) -> bool {
        let Some(interval) = self.icmp_interval else {
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
            Some(Hop {
                port,
                gateway: None,
            })
        } else {
            self.choose(&head, &frame[ETHERNET..])
        };
        match hop {
            Some(hop) if !self.holds(to) => self.dispatch(now, hop, &head, frame, None, out),
            _ => out.drops.push("no route for the router's own message"),
        }
    }

    fn give_up(&mut self, now: Time, waiting: Waiting, out: &mut Outbox) {
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
        out.frames.push((port, question));
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
        if operation == 1 && target == own {
            out.frames.push((port, packet::arp(2, (mac, own), sender)));
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
            out.frames.push((
                port,
                packet::neighbour(136, (mac, target), (to, src), target, mac),
            ));
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

fn may_be_refused(head: &Head, datagram: &[u8]) -> bool {
    let is_error = match head.icmp_type(datagram) {
        Some(kind) if head.dst.is_ipv4() => matches!(kind, 3 | 4 | 5 | 11 | 12),
        Some(kind) => kind < 128,
        None => false,
    };
    head.offset == 0 && !is_error && is_routable(head.src)
}
