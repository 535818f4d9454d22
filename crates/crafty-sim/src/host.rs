//! A host of the lab's own: smoltcp, with services. Never our own stack.

use crate::node::Outbox;
use crate::packet;
use crate::services::{Answer, Reply, Serving, Talk};
use crafty_value::{Mac, Time};
use smoltcp::iface::{Config, Interface, PollResult, SocketHandle, SocketSet};
use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::socket::{tcp, udp};
use smoltcp::time::{Duration, Instant};
use smoltcp::wire::{EthernetAddress, IpCidr};
use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Octets of a socket's buffer, each way.
const BUFFER: usize = 64 << 10;
/// Datagrams of a socket's buffer, each way.
const DATAGRAMS: usize = 64;
/// Connections that a service has at a time.
const LINES: usize = 64;
/// Time without an answer after which a connection is given up.
const PATIENCE: Duration = Duration::from_secs(60);
/// Half the time for which smoltcp remembers a neighbour.
const INTRODUCED_FOR: crafty_value::Duration = crafty_value::Duration::seconds(30);
/// Rounds of a poll; each makes progress, or there is no next.
const ROUNDS: usize = 64;

/// The router that a host sends through. The host holds it as a permanent neighbour and never asks for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gateway {
    pub v4: Ipv4Addr,
    pub v6: Ipv6Addr,
    pub mac: Mac,
}

/// A host with its sockets.
pub(crate) struct Host {
    mac: Mac,
    v4: Ipv4Addr,
    v6: Ipv6Addr,
    gateway: Gateway,
    introduced: Option<Time>,
    interface: Interface,
    wire: Wire,
    sockets: SocketSet<'static>,
    udp: Vec<(SocketHandle, Reply)>,
    tcp: Vec<Counter>,
    wake: Option<Time>,
}

/// A TCP service at a port, with its connections: those that are over listen again.
struct Counter {
    port: u16,
    answer: fn(&mut Talk),
    lines: Vec<(SocketHandle, Talk)>,
}

impl Host {
    /// A host with one IPv4 and two IPv6 addresses; the seed fixes its sequence numbers.
    pub fn new(mac: Mac, addresses: &[(IpAddr, u8)], gateway: Gateway, mtu: usize, services: &[Serving], seed: u64) -> Host {
        let mut wire = Wire { mtu, heard: VecDeque::new(), said: Vec::new() };
        let mut config = Config::new(EthernetAddress(mac.0).into());
        config.random_seed = seed;
        let mut interface = Interface::new(config, &mut wire, Instant::ZERO);
        interface.update_ip_addrs(|list| list.extend(addresses.iter().map(|(address, prefix)| IpCidr::new((*address).into(), *prefix))));
        // Neither table is ever full: a host has one route of each version.
        let _ = interface.routes_mut().add_default_ipv4_route(gateway.v4);
        let _ = interface.routes_mut().add_default_ipv6_route(gateway.v6);
        let v4 = addresses.iter().find_map(|it| if let IpAddr::V4(v4) = it.0 { Some(v4) } else { None });
        let v6 = addresses.iter().find_map(|it| if let IpAddr::V6(v6) = it.0 { Some(v6) } else { None });
        let mut host = Host {
            mac,
            v4: v4.unwrap_or(Ipv4Addr::UNSPECIFIED),
            v6: v6.unwrap_or(Ipv6Addr::UNSPECIFIED),
            gateway,
            introduced: None,
            interface,
            wire,
            sockets: SocketSet::new(Vec::new()),
            udp: Vec::new(),
            tcp: Vec::new(),
            wake: None,
        };
        services.iter().for_each(|serving| host.serve(serving));
        host
    }

    pub fn on_frame(&mut self, now: Time, frame: Vec<u8>, out: &mut Outbox) {
        self.introduce(now);
        self.wire.heard.push_back(frame);
        self.poll(now, out);
    }

    pub fn on_wake(&mut self, now: Time, out: &mut Outbox) {
        self.introduce(now);
        self.poll(now, out);
    }

    pub fn wake_at(&self) -> Option<Time> {
        self.wake
    }

    fn serve(&mut self, serving: &Serving) {
        match serving.service.answer {
            Answer::Udp(answer) => {
                let mut socket = udp::Socket::new(datagrams(), datagrams());
                // A port of the table is never 0, and the socket is new.
                let _ = socket.bind(serving.port);
                self.udp.push((self.sockets.add(socket), answer));
            }
            Answer::Tcp(answer) => {
                let mut counter = Counter { port: serving.port, answer, lines: Vec::new() };
                counter.listen(&mut self.sockets);
                self.tcp.push(counter);
            }
        }
    }

    /// Tells smoltcp its gateway's link address, since it has no permanent neighbours.
    fn introduce(&mut self, now: Time) {
        if self.introduced.is_some_and(|at| now.since(at) < INTRODUCED_FOR) {
            return;
        }
        self.introduced = Some(now);
        let Gateway { v4, v6, mac } = self.gateway;
        self.wire.heard.push_back(packet::arp(2, (mac, v4), (self.mac, self.v4)));
        self.wire.heard.push_back(packet::neighbour(136, (mac, v6), (self.mac, self.v6), v6, mac));
    }

    fn poll(&mut self, now: Time, out: &mut Outbox) {
        let at = Instant::from_micros(now.0 / 1000);
        for _ in 0..ROUNDS {
            let changed = self.interface.poll(at, &mut self.wire, &mut self.sockets) == PollResult::SocketStateChanged;
            if !self.answer() && !changed {
                break;
            }
        }
        out.frames.extend(self.wire.said.drain(..).map(|frame| (0, frame)));
        // Its clock has microseconds: never twice in the same one.
        let soonest = now.after(crafty_value::Duration::micros(1));
        let wanted = self.interface.poll_at(at, &self.sockets);
        self.wake = wanted.map(|at| Time(at.total_micros().saturating_mul(1000)).max(soonest));
    }

    /// Lets the services answer; whether any had something to do.
    fn answer(&mut self) -> bool {
        let mut busy = false;
        for (handle, answer) in &self.udp {
            busy |= answer_datagrams(self.sockets.get_mut(*handle), *answer);
        }
        for counter in &mut self.tcp {
            busy |= counter.answer(&mut self.sockets);
        }
        busy
    }
}

fn datagrams() -> udp::PacketBuffer<'static> {
    udp::PacketBuffer::new(vec![udp::PacketMetadata::EMPTY; DATAGRAMS], vec![0; BUFFER])
}

fn answer_datagrams(socket: &mut udp::Socket<'_>, answer: Reply) -> bool {
    let mut busy = false;
    let own_port = socket.endpoint().port;
    while socket.can_send() {
        let Ok((datagram, from)) = socket.recv() else { break };
        busy = true;
        // Two well-known services would answer one another for ever.
        let is_service = from.endpoint.port == own_port && own_port < 1024;
        if let Some(reply) = answer(datagram).filter(|_| !is_service) {
            // What does not fit is lost, like any datagram at a full buffer.
            let _ = socket.send_slice(&reply, from);
        }
    }
    busy
}

impl Counter {
    /// Has one more socket listen.
    fn listen(&mut self, sockets: &mut SocketSet<'static>) {
        let mut socket = tcp::Socket::new(tcp::SocketBuffer::new(vec![0u8; BUFFER]), tcp::SocketBuffer::new(vec![0u8; BUFFER]));
        socket.set_congestion_control(tcp::CongestionControl::Reno);
        socket.set_timeout(Some(PATIENCE));
        // A port of the table is never 0, and the socket is new.
        let _ = socket.listen(self.port);
        self.lines.push((sockets.add(socket), Talk::default()));
    }

    fn answer(&mut self, sockets: &mut SocketSet<'static>) -> bool {
        let mut busy = false;
        let mut listens = false;
        for (handle, talk) in &mut self.lines {
            let socket: &mut tcp::Socket<'_> = sockets.get_mut(*handle);
            if socket.state() == tcp::State::Closed {
                *talk = Talk::default();
                let _ = socket.listen(self.port);
            }
            listens |= socket.state() == tcp::State::Listen;
            busy |= talk.go_on(socket, self.answer);
        }
        if !listens && self.lines.len() < LINES {
            self.listen(sockets);
        }
        busy
    }
}

impl Talk {
    /// Hears, answers and says what can be; whether anything moved.
    fn go_on(&mut self, socket: &mut tcp::Socket<'_>, answer: fn(&mut Talk)) -> bool {
        let mut busy = false;
        if socket.can_recv() && self.to_say.len() < BUFFER && self.heard.len() < BUFFER {
            busy = socket.recv(|octets| (octets.len(), self.heard.extend_from_slice(octets))).is_ok();
            answer(self);
        }
        if socket.can_send() && self.said < self.to_say.len() {
            let sent = socket.send_slice(&self.to_say[self.said..]).unwrap_or(0);
            busy |= sent > 0;
            self.said += sent;
        }
        if self.said == self.to_say.len() {
            self.to_say.clear();
            self.said = 0;
            let peer_is_done = socket.state() == tcp::State::CloseWait && !socket.can_recv();
            if (self.done || peer_is_done) && socket.may_send() {
                socket.close();
                busy = true;
            }
        }
        busy
    }
}

/// The host's end of its cable: frames in and out.
struct Wire {
    mtu: usize,
    heard: VecDeque<Vec<u8>>,
    said: Vec<Vec<u8>>,
}

struct Heard(Vec<u8>);
struct Saying<'a>(&'a mut Vec<Vec<u8>>);

impl Device for Wire {
    type RxToken<'a> = Heard;
    type TxToken<'a> = Saying<'a>;

    fn receive(&mut self, _: Instant) -> Option<(Heard, Saying<'_>)> {
        self.heard.pop_front().map(|frame| (Heard(frame), Saying(&mut self.said)))
    }

    fn transmit(&mut self, _: Instant) -> Option<Saying<'_>> {
        Some(Saying(&mut self.said))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ethernet;
        capabilities.max_transmission_unit = self.mtu + packet::ETHERNET;
        capabilities
    }
}

impl RxToken for Heard {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        f(&self.0)
    }
}

impl TxToken for Saying<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, f: F) -> R {
        let mut frame = vec![0; length];
        let result = f(&mut frame);
        self.0.push(frame);
        result
    }
}
