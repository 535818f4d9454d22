//! A host of the lab's own: smoltcp, with services. Never our own stack.
//!
//! smoltcp can neither cut nor join datagrams of IPv6, and announces what its interface takes as
//! the TCP segment size. So a host has two stacks with the same addresses: one for TCP, with the
//! MTU of the segment, and one for the rest, which takes any datagram; what is too long for the
//! segment is cut and joined around it.

mod counter;
mod cut;
mod errors;
mod stack;

use crate::node::Outbox;
use crate::packet::{self, ETHERNET, Head};
use crate::reassembly::Joiner;
use crate::router::refusal::{NEVER_WHOLE, Refusal};
use crate::services::{Answer, Reply, Serving, udp_discard};
use crate::traffic::TrafficSource;
use counter::TcpService;
use crafty_value::{Duration, Mac, Time};
pub(crate) use cut::cut;
use smoltcp::iface::SocketHandle;
use smoltcp::socket::udp;
use stack::SmoltcpInterface;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Bytes of a UDP socket's buffer, each way.
const BUFFER: usize = 128 << 10;
/// Datagrams of a UDP socket's buffer, each way.
const DATAGRAMS: usize = 64;
/// Half the time for which smoltcp remembers a neighbour.
const INTRODUCED_FOR: Duration = Duration::seconds(30);
/// Rounds of a poll; each makes progress, or there is no next.
const ROUNDS: usize = 64;
/// Longest datagram.
const ANY: usize = 65_535;

/// The router that a host sends through. The host holds it as a permanent neighbour and never asks
/// for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gateway {
    pub v4: Ipv4Addr,
    pub v6: Ipv6Addr,
    pub mac: Mac,
}

/// A host with its services.
pub(crate) struct Host {
    mac: Mac,
    v4: Ipv4Addr,
    v6: Ipv6Addr,
    gateway: Gateway,
    mtu: usize,
    introduced: Option<Time>,
    /// For TCP.
    lines: SmoltcpInterface,
    /// For all else, and for the answers to questions for its link address.
    rest: SmoltcpInterface,
    tcp: Vec<TcpService>,
    udp: Vec<(SocketHandle, Reply)>,
    udp_ports: Vec<u16>,
    joiner: Joiner,
    cut_id: u32,
    /// When the stacks want to be polled again.
    wakes: [Option<Time>; 2],
    /// Ports whose datagrams are thrown away.
    sinks: Vec<u16>,
    /// Background traffic that it sends.
    pub sources: Vec<TrafficSource>,
}

impl Host {
    /// Its addresses, except for that of the link.
    pub fn addresses(&self) -> Vec<std::net::IpAddr> {
        vec![self.v4.into(), self.v6.into()]
    }

    /// A host with an IPv4 and two IPv6 addresses; the seed fixes its sequence numbers.
    pub fn new(
        mac: Mac,
        addresses: &[(IpAddr, u8)],
        gateway: Gateway,
        mtu: usize,
        services: &[Serving],
        seed: u64,
    ) -> Host {
        let v4 = addresses.iter().find_map(|it| {
            if let IpAddr::V4(v4) = it.0 {
                Some(v4)
            } else {
                None
            }
        });
        let v6 = addresses.iter().find_map(|it| {
            if let IpAddr::V6(v6) = it.0 {
                Some(v6)
            } else {
                None
            }
        });
        let mut host = Host {
            mac,
            v4: v4.unwrap_or(Ipv4Addr::UNSPECIFIED),
            v6: v6.unwrap_or(Ipv6Addr::UNSPECIFIED),
            gateway,
            mtu,
            introduced: None,
            lines: SmoltcpInterface::new(mac, addresses, gateway, mtu, seed),
            rest: SmoltcpInterface::new(mac, addresses, gateway, ANY, seed),
            tcp: Vec::new(),
            udp: Vec::new(),
            udp_ports: Vec::new(),
            joiner: Joiner::default(),
            cut_id: seed as u32,
            wakes: [None; 2],
            sinks: Vec::new(),
            sources: Vec::new(),
        };
        services.iter().for_each(|serving| host.serve(serving));
        host
    }

    pub fn on_frame(&mut self, now: Time, frame: Vec<u8>, out: &mut Outbox) {
        if !self.wants(&frame) {
            return;
        }
        let Some(frame) = self.joiner.take(now, frame) else {
            return;
        };
        let own = [self.v4.into(), self.v6.into()];
        let listens = |port| self.udp_ports.contains(&port);
        if let Some(refusal) = errors::refusal_of(&frame, self.mac, &own, listens) {
            return self.refuse(refusal, &frame, out);
        }
        let introduced = self.introduce(now);
        let mut stacks = Stacks::BOTH;
        match FrameSubject::of(&frame) {
            FrameSubject::Tcp => {
                stacks.rest = introduced;
                self.lines.hear(frame);
            }
            FrameSubject::Other => {
                stacks.lines = introduced;
                self.rest.hear(frame);
            }
            FrameSubject::Neighbour { .. } => {
                self.lines.hear(frame.clone());
                self.rest.hear(frame);
            }
        }
        self.poll(now, stacks, out);
    }

    /// Whether a frame is for this host, and for more than being thrown away: a shared wire brings
    /// those of others too, and background traffic is not worth a stack's attention.
    fn wants(&self, frame: &[u8]) -> bool {
        let Some((_, to, _)) = packet::ethernet(frame) else {
            return false;
        };
        if to != self.mac && !to.is_group() {
            return false;
        }
        if self.sinks.is_empty() || frame.get(ETHERNET + 9) != Some(&packet::UDP) {
            return true;
        }
        let datagram = &frame[ETHERNET..];
        let Ok(head) = Head::read(datagram) else {
            return true;
        };
        let port = head
            .ports(datagram)
            .filter(|_| !head.more && head.dst == self.v4);
        !port.is_some_and(|it| self.sinks.contains(&u16::from_be_bytes([it[2], it[3]])))
    }

    pub fn on_wake(&mut self, now: Time, out: &mut Outbox) {
        for first in self.joiner.expired(now) {
            self.refuse(NEVER_WHOLE, &first, out);
        }
        for source in &mut self.sources {
            source.on_wake(now, out);
        }
        let is_due = |at: Option<Time>| at.is_some_and(|at| at <= now);
        let stacks = Stacks {
            lines: is_due(self.wakes[0]),
            rest: is_due(self.wakes[1]),
        };
        if stacks.lines || stacks.rest {
            self.introduce(now);
            self.poll(now, Stacks::BOTH, out);
        }
    }

    /// Its own link address and that of the router it sends through.
    pub fn way_out(&self) -> (Mac, Mac) {
        (self.mac, self.gateway.mac)
    }

    pub fn wake_at(&self) -> Option<Time> {
        let fragments = self.joiner.next_at();
        let [lines, rest] = self.wakes;
        let sources = self.sources.iter().map(TrafficSource::wake_at).min();
        [lines, rest, fragments, sources]
            .into_iter()
            .flatten()
            .min()
    }

    /// Says in ICMP what it did not take.
    fn refuse(&mut self, refusal: Refusal, frame: &[u8], out: &mut Outbox) {
        out.drops.push(refusal.reason);
        self.cut_id = self.cut_id.wrapping_add(1);
        if let Some(error) = errors::error(refusal, frame, self.mac, self.cut_id as u16) {
            out.say(0, error);
        }
    }

    fn serve(&mut self, serving: &Serving) {
        match serving.service.answer {
            Answer::Udp(reply) => {
                let mut socket = udp::Socket::new(datagrams(), datagrams());
                // A port of the table is never 0, and the socket is new.
                let _ = socket.bind(serving.port);
                self.udp_ports.push(serving.port);
                if std::ptr::eq(serving.service, &udp_discard::SERVICE) {
                    self.sinks.push(serving.port);
                }
                self.udp.push((self.rest.sockets.add(socket), reply));
            }
            Answer::Closed => {}
            Answer::Tcp(answer) => self.tcp.push(TcpService::new(
                serving.port,
                answer,
                &mut self.lines.sockets,
            )),
        }
    }

    /// Tells smoltcp its gateway's link address, since it has no permanent neighbours; whether it
    /// was time to.
    fn introduce(&mut self, now: Time) -> bool {
        if self
            .introduced
            .is_some_and(|at| now.since(at) < INTRODUCED_FOR)
        {
            return false;
        }
        self.introduced = Some(now);
        let Gateway { v4, v6, mac } = self.gateway;
        for stack in [&mut self.lines, &mut self.rest] {
            stack.hear(packet::arp(2, (mac, v4), (self.mac, self.v4)));
            stack.hear(packet::neighbour(
                136,
                (mac, v6),
                (self.mac, self.v6),
                v6,
                mac,
            ));
        }
        true
    }

    fn poll(&mut self, now: Time, stacks: Stacks, out: &mut Outbox) {
        for _ in 0..ROUNDS {
            let lines = stacks.lines && self.lines.poll(now);
            let rest = stacks.rest && self.rest.poll(now);
            if !self.answer(stacks) && !lines && !rest {
                break;
            }
        }
        // Both stacks answer for the link address; the network is to hear one.
        let lines =
            self.lines.said().into_iter().filter(|frame| {
                FrameSubject::of(frame) != FrameSubject::Neighbour { answers: true }
            });
        lines.for_each(|frame| out.say(0, frame));
        for frame in self.rest.said() {
            self.cut_id = self.cut_id.wrapping_add(1);
            for piece in cut(frame, self.mtu, self.cut_id) {
                out.say(0, piece);
            }
        }
        if stacks.lines {
            self.wakes[0] = self.lines.wake_at(now);
        }
        if stacks.rest {
            self.wakes[1] = self.rest.wake_at(now);
        }
    }

    /// Lets the services answer; whether any had something to do.
    fn answer(&mut self, stacks: Stacks) -> bool {
        let mut busy = false;
        for (handle, reply) in self.udp.iter().filter(|_| stacks.rest) {
            busy |= answer_datagrams(self.rest.sockets.get_mut(*handle), *reply);
        }
        for counter in self.tcp.iter_mut().filter(|_| stacks.lines) {
            busy |= counter.answer(&mut self.lines.sockets);
        }
        busy
    }
}

/// Which of the two stacks are to be polled.
#[derive(Clone, Copy)]
struct Stacks {
    lines: bool,
    rest: bool,
}

impl Stacks {
    const BOTH: Stacks = Stacks {
        lines: true,
        rest: true,
    };
}

/// What a frame is about, as far as it decides which stack it concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FrameSubject {
    Tcp,
    /// ARP or neighbour discovery: a question or an answer.
    Neighbour {
        answers: bool,
    },
    Other,
}

impl FrameSubject {
    fn of(frame: &[u8]) -> FrameSubject {
        if packet::ethernet(frame).is_some_and(|(_, _, kind)| kind == packet::TYPE_ARP) {
            return FrameSubject::Neighbour {
                answers: frame.get(ETHERNET + 7) == Some(&2),
            };
        }
        let datagram = frame.get(ETHERNET..).unwrap_or_default();
        let Ok(head) = Head::read(datagram) else {
            return FrameSubject::Other;
        };
        match (head.proto, head.icmp_type(datagram)) {
            (packet::TCP, _) => FrameSubject::Tcp,
            (packet::ICMP6, Some(kind @ (135 | 136))) => FrameSubject::Neighbour {
                answers: kind == 136,
            },
            _ => FrameSubject::Other,
        }
    }
}

fn datagrams() -> udp::PacketBuffer<'static> {
    udp::PacketBuffer::new(vec![udp::PacketMetadata::EMPTY; DATAGRAMS], vec![0; BUFFER])
}

fn answer_datagrams(socket: &mut udp::Socket<'_>, reply: Reply) -> bool {
    let mut busy = false;
    let own_port = socket.endpoint().port;
    while socket.can_send() {
        let Ok((datagram, from)) = socket.recv() else {
            break;
        };
        busy = true;
        // Two well-known services would answer one another forever.
        let is_service = from.endpoint.port == own_port && own_port < 1024;
        if let Some(answer) = reply(datagram).filter(|_| !is_service) {
            // What does not fit is lost, like any datagram at a full buffer.
            let _ = socket.send_slice(&answer, from);
        }
    }
    busy
}
