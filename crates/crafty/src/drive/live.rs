//! Machines on this machine's network: packet sockets, wire time stamps, and the kernel kept out of what the program owns.

use super::sink::{LINKTYPES, Passed, Sink};
use super::{Ended, Runner};
use crafty_capture::Direction as Way;
use crafty_net::{
    Captured, Direction, Firewall, Interface, Interrupt, LinkType, NetError, Options, Owned, Port, StampMatcher, Transport, now,
};
use crafty_policy::{Policy, PortSet};
use crafty_value::{Duration, Mac, Net, Time};
use crafty_vm::{Environment, InterfaceInfo, Link, Packet, Route, Stamp, StampSource, Transmit};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// How long a wait may sleep before it looks at the other ports and at signals.
const SLICE: Duration = Duration::millis(50);
/// Packets a second from which on a ring, which opens slower, carries what a socket's queue might lose.
const RING_RATE: u64 = 2_000;
/// Size of that ring in octets.
const RING_BYTES: usize = 16 << 20;
/// Frames that may wait for their recapture.
const MOST_WAITING: usize = 65_536;
/// Most addresses of a net that is routed piece by piece.
const MOST_ROUTES: usize = 512;

/// What this machine is to a program: the interfaces its routes use.
pub struct Place {
    /// Interfaces, in the order of the environment's.
    pub interfaces: Vec<Interface>,
    /// What the machine is told.
    pub environment: Environment,
}

/// Finds the routes to all that a policy lets be sent to. `only` names the interface to use.
pub fn place(policy: &Policy, only: Option<&str>, seed: u64) -> Result<Place, NetError> {
    let all =
        crafty_net::interfaces().map_err(|e| NetError::System { doing: "reading the interfaces", errno: e.raw_os_error().unwrap_or(0) })?;
    let named = only.map(crafty_net::interface).transpose()?;
    let mut place = Place { interfaces: named.into_iter().collect(), environment: Environment { seed, ..Environment::default() } };
    for net in policy.destinations.ranges().iter().flat_map(|(low, high)| cover(*low, *high)) {
        add_route(&mut place, &all, net, only)?;
    }
    place.environment.interfaces = place.interfaces.iter().map(info).collect();
    Ok(place)
}

fn add_route(place: &mut Place, all: &[Interface], net: Net, only: Option<&str>) -> Result<(), NetError> {
    let route = crafty_net::route_to(net.address(), None, only)?;
    let interface = all.iter().find(|i| i.index == route.interface);
    let interface = interface.ok_or(NetError::NoRoute { destination: net.address(), interface: None })?;
    let known = place.interfaces.iter().position(|i| i.index == interface.index);
    let number = known.unwrap_or_else(|| {
        place.interfaces.push(interface.clone());
        place.interfaces.len() - 1
    });
    let next = route.gateway.unwrap_or(net.address());
    let single = route.gateway.is_some() || net == Net::host(net.address());
    if let Some(mac) = crafty_net::neighbour(route.interface, next).filter(|_| single) {
        place.environment.neighbours.insert((number, next), mac);
    }
    place.environment.routes.push(Route { net, gateway: route.gateway, interface: number, source: route.source });
    Ok(())
}

fn info(interface: &Interface) -> InterfaceInfo {
    let link = match interface.link {
        LinkType::Ethernet => Link::Ethernet,
        LinkType::Loopback => Link::Loopback,
        LinkType::RawIp | LinkType::Other(_) => Link::RawIp,
    };
    InterfaceInfo {
        name: interface.name.clone(),
        mac: interface.mac.unwrap_or(Mac([0; 6])),
        mtu: interface.mtu,
        addresses: interface.addresses.clone(),
        link,
    }
}

/// The fewest nets that cover a range of addresses, up to a limit: what lies beyond has no route.
pub fn cover(low: IpAddr, high: IpAddr) -> Vec<Net> {
    let (mut at, last, bits) = match (low, high) {
        (IpAddr::V4(a), IpAddr::V4(b)) => (u128::from(a.to_bits()), u128::from(b.to_bits()), 32),
        (IpAddr::V6(a), IpAddr::V6(b)) => (a.to_bits(), b.to_bits(), 128),
        _ => return Vec::new(),
    };
    let mut nets = Vec::new();
    while at <= last && nets.len() < MOST_ROUTES {
        let size = (0..=bits).rev().find(|s| fits(at, last, *s)).unwrap_or(0);
        let address = if bits == 32 { Ipv4Addr::from_bits(at as u32).into() } else { IpAddr::from(Ipv6Addr::from_bits(at)) };
        nets.extend(Net::new(address, (bits - size) as u8));
        let Some(next) = 1u128.checked_shl(size as u32).and_then(|step| at.checked_add(step)) else { break };
        at = next;
    }
    nets
}

/// Whether a net of 2^size addresses may begin at `at` and ends by `last`.
fn fits(at: u128, last: u128, size: i32) -> bool {
    let step = if size == 128 { u128::MAX } else { (1u128 << size) - 1 };
    at & step == 0 && at.checked_add(step).is_some_and(|end| end <= last)
}

/// What the kernel must not answer for: owned ports and identifiers of own addresses, and declared sources.
pub fn owned(policy: &Policy, interfaces: &[Interface]) -> Vec<Owned> {
    let mut owned = Vec::new();
    let own: BTreeSet<IpAddr> = interfaces.iter().flat_map(|i| &i.addresses).map(|(a, _)| *a).collect();
    // On a loopback the kernel is the peer: kept out of an identifier, it could not answer.
    let looped: BTreeSet<IpAddr> = interfaces.iter().filter(|i| i.is_loopback).flat_map(|i| &i.addresses).map(|(a, _)| *a).collect();
    for address in &own {
        owned.extend(ports(*address, Transport::Tcp, &policy.ports.tcp));
        owned.extend(ports(*address, Transport::Udp, &policy.ports.udp));
        let identifiers = policy.ports.icmp.ranges().flat_map(|(low, high)| low..=high).take(MOST_ROUTES);
        owned.extend(identifiers.filter(|_| !looped.contains(address)).map(|id| Owned::Echo { address: *address, id }));
    }
    let declared = policy.sources.ranges().into_iter().flat_map(|(low, high)| cover(low, high));
    let single = declared.filter(|net| *net == Net::host(net.address())).map(|net| net.address());
    owned.extend(single.filter(|a| !own.contains(a)).map(Owned::Address));
    owned
}

fn ports(address: IpAddr, transport: Transport, set: &PortSet) -> Vec<Owned> {
    set.ranges().map(|(first, last)| Owned::Ports { transport, address, first, last }).collect()
}

/// The open sockets of a run.
pub struct Live {
    ports: Vec<Open>,
    interrupt: Option<Interrupt>,
    _firewall: Option<Firewall>,
    pending: VecDeque<Transmit>,
    /// Frames for the capture file that wait for their time stamp: by number, with interface and comments.
    unstamped: BTreeMap<u64, (usize, Vec<u8>, Vec<String>)>,
    heard: Vec<(u64, u64)>,
    /// What was read and is not handed over yet; kept for its room.
    news: Vec<News>,
}

struct Open {
    port: Port,
    matcher: StampMatcher,
    link: u16,
    loopback: bool,
    lost: u64,
}

impl Live {
    /// Capture on, firewall in: from now on the kernel is kept out.
    pub fn open(place: &Place, policy: &Policy) -> Result<Live, NetError> {
        let rate = policy.budget.max_packets_per_secs;
        let ports = place.interfaces.iter().map(|i| open(i, rate)).collect::<Result<Vec<_>, _>>()?;
        let owned = owned(policy, &place.interfaces);
        let first = place.interfaces.first().map_or(0, |i| i.index);
        let firewall = if owned.is_empty() { None } else { Some(Firewall::install(first, &owned)?) };
        let heard = vec![(0, 0); ports.len()];
        // Without them waits are 50 us late and Ctrl-C ends without a report: worth having, not worth failing for.
        let _ = crafty_net::wake_precisely();
        let interrupt = Interrupt::listen().ok();
        Ok(Live { ports, interrupt, _firewall: firewall, pending: VecDeque::new(), unstamped: BTreeMap::new(), heard, news: Vec::new() })
    }

    /// Gives up every privilege: from now on the process can send on its open ports, write to its open files, tell the time, and end.
    pub fn lock_down(&mut self) -> Result<(), NetError> {
        let mut ports: Vec<&mut Port> = self.ports.iter_mut().map(|open| &mut open.port).collect();
        crafty_net::lock_down(&mut ports).map(drop)
    }

    /// Names and link types for a capture file.
    pub fn interfaces(place: &Place) -> Vec<(String, u16)> {
        place.interfaces.iter().map(|i| (i.name.clone(), linktype(i))).collect()
    }

    /// Frames that each interface received and lost.
    pub fn statistics(&self) -> Vec<(u64, u64)> {
        self.heard.clone()
    }

    /// Runs a program to its end.
    pub fn run(&mut self, runner: &mut Runner, sink: &mut Sink) -> Ended {
        while runner.machine.outcome().is_none() {
            self.send_due(runner, sink);
            if runner.machine.outcome().is_some() {
                break;
            }
            let read_up_to = self.hear(runner, sink);
            if self.interrupt.as_ref().is_some_and(Interrupt::came) {
                runner.machine.cancel();
            } else if runner.machine.poll_timeout().is_some_and(|due| due <= read_up_to) {
                runner.machine.handle_timeout(read_up_to);
            }
        }
        self.send_due(runner, sink);
        self.hear_rest(runner, sink);
        let outcome = runner.machine.outcome();
        Ended { status: outcome.map_or(6, |o| o.status), why: outcome.and_then(|o| o.why.clone()), report: runner.machine.report() }
    }

    /// Events out, frames out that are due.
    fn send_due(&mut self, runner: &mut Runner, sink: &mut Sink) {
        loop {
            while let Some(event) = runner.machine.poll_event() {
                sink.event(0, &event);
            }
            let Some(transmit) = runner.machine.poll_transmit() else { break };
            self.pending.push_back(transmit);
        }
        let mut told = now();
        while let Some(transmit) = self.pending.pop_front() {
            if transmit.at > told {
                told = now();
            }
            if transmit.at > told {
                self.pending.push_front(transmit);
                break;
            }
            self.send(transmit, sink);
        }
    }

    fn send(&mut self, transmit: Transmit, sink: &mut Sink) {
        let open = &mut self.ports[transmit.interface];
        open.matcher.register(transmit.frame.0, &transmit.octets);
        if let Err(error) = open.port.send(&transmit.octets) {
            open.matcher.forget(transmit.frame.0);
            crate::output::note(&format!("{}: this frame did not leave: {error}", sink.line(0, transmit.line)));
        } else if sink.records() {
            let comments = sink.comments(0, &transmit);
            self.unstamped.insert(transmit.frame.0, (transmit.interface, transmit.octets, comments));
        }
    }

    /// Writes a sent frame into the capture file, with the time at which it was on the wire.
    fn record_sent(&mut self, frame: u64, time: Time, sink: &mut Sink) {
        if let Some((interface, octets, comments)) = self.unstamped.remove(&frame) {
            sink.frame(
                Passed { interface, link: self.ports[interface].link, time, direction: Way::Outbound },
                &octets,
                octets.len(),
                comments,
            );
        }
    }

    /// Frames that no capture saw leaving are told as such.
    fn record_unseen(&mut self, sink: &mut Sink) {
        for (interface, octets, mut comments) in std::mem::take(&mut self.unstamped).into_values() {
            comments.push("not seen leaving: the time is that of the end".into());
            sink.frame(
                Passed { interface, link: self.ports[interface].link, time: now(), direction: Way::Outbound },
                &octets,
                octets.len(),
                comments,
            );
        }
    }

    /// Waits for frames until something is due; gives the time up to which all that arrived was read.
    fn hear(&mut self, runner: &mut Runner, sink: &mut Sink) -> Time {
        let due = [runner.machine.poll_timeout(), self.pending.front().map(|t| t.at)].into_iter().flatten().min();
        let until = due.unwrap_or(Time(i64::MAX)).min(now().after(SLICE));
        let fds: Vec<_> = self.ports.iter().map(|open| open.port.fd()).collect();
        let waited = crafty_net::wait_any(&fds, until);
        let read_up_to = now();
        if let Err(error) = waited.and_then(|_| self.drain(read_up_to, runner, sink)) {
            crate::output::note(&format!("reading a capture failed: {error}"));
        }
        self.tell_losses(runner);
        read_up_to
    }

    /// Hands over what the kernel has seen up to a time.
    fn drain(&mut self, up_to: Time, runner: &mut Runner, sink: &mut Sink) -> std::io::Result<()> {
        let mut news = std::mem::take(&mut self.news);
        let read = self.read(up_to, &mut news);
        if !news.is_sorted_by_key(|n| n.time) {
            news.sort_by_key(|n| n.time);
        }
        news.drain(..).for_each(|n| self.deliver(n, runner, sink));
        self.news = news;
        read
    }

    /// What arrived by the end still goes into the capture file.
    fn hear_rest(&mut self, runner: &mut Runner, sink: &mut Sink) {
        let _ = self.drain(now().after(Duration::millis(2)), runner, sink);
        self.record_unseen(sink);
    }

    fn read(&mut self, up_to: Time, news: &mut Vec<News>) -> std::io::Result<()> {
        for (port, open) in self.ports.iter_mut().enumerate() {
            let Open { port: from, matcher, loopback, .. } = open;
            from.receive_each(up_to, |captured| {
                news.extend(what_is_new(&captured, matcher, *loopback).map(|what| News { port, time: captured.time, what }))
            })?;
        }
        Ok(())
    }

    fn deliver(&mut self, news: News, runner: &mut Runner, sink: &mut Sink) {
        let News { port, time, what } = news;
        match what {
            What::Sent(frame) => {
                self.record_sent(frame, time, sink);
                runner.machine.handle_stamp(crafty_vm::FrameId(frame), Stamp { time, source: StampSource::Recapture });
            }
            What::Came { octets, wire_len, checksum_ready } => {
                self.heard[port].0 += 1;
                let recorded = sink.records().then(|| octets.clone());
                runner.machine.handle_packet(Packet { interface: port, time, octets, wire_len, checksum_ready });
                // Secrets stand before what they decrypt.
                runner.machine.poll_secrets().iter().for_each(|lines| sink.secrets(lines));
                if let Some(octets) = recorded {
                    let passed = Passed { interface: port, link: self.ports[port].link, time, direction: Way::Inbound };
                    sink.frame(passed, &octets, wire_len, Vec::new());
                }
            }
        }
    }

    fn tell_losses(&mut self, runner: &mut Runner) {
        for (i, open) in self.ports.iter_mut().enumerate() {
            let lost = open.port.drops();
            if lost > open.lost {
                runner.machine.handle_lost_capture(lost - open.lost);
                open.lost = lost;
                self.heard[i].1 = lost;
            }
        }
    }
}

/// What a capture says.
struct News {
    port: usize,
    time: Time,
    what: What,
}

enum What {
    /// A frame of ours was on the wire: its number.
    Sent(u64),
    /// A frame came.
    Came { octets: Vec<u8>, wire_len: usize, checksum_ready: bool },
}

/// Frames that left and are not ours are nothing new.
fn what_is_new(captured: &Captured<'_>, matcher: &mut StampMatcher, loopback: bool) -> Option<What> {
    if captured.direction == Direction::Outgoing {
        return matcher.captured(captured.frame, captured.wire_len, captured.time).map(|(frame, _)| What::Sent(frame));
    }
    let checksum_ready = !captured.checksum_not_ready && !loopback;
    Some(What::Came { octets: captured.frame.to_vec(), wire_len: captured.wire_len, checksum_ready })
}

fn open(interface: &Interface, rate: u64) -> Result<Open, NetError> {
    let options = Options { ring_bytes: if rate > RING_RATE { RING_BYTES } else { 0 }, ..Options::default() };
    let matcher = StampMatcher::new(options.snap as usize, MOST_WAITING);
    let port = Port::open(interface, options)?;
    Ok(Open { port, matcher, link: linktype(interface), loopback: interface.is_loopback, lost: 0 })
}

fn linktype(interface: &Interface) -> u16 {
    match interface.link {
        LinkType::Ethernet | LinkType::Loopback => LINKTYPES.0,
        LinkType::RawIp | LinkType::Other(_) => LINKTYPES.1,
    }
}

/// Next hops that answer to anything: for a run that sends nothing.
pub fn with_imagined_neighbours(mut environment: Environment) -> Environment {
    const IMAGINED: Mac = Mac([2, 0, 0, 0, 0, 2]);
    let mut neighbours = BTreeMap::new();
    for route in &environment.routes {
        let next = route.gateway.unwrap_or(route.net.address());
        neighbours.insert((route.interface, next), IMAGINED);
    }
    neighbours.append(&mut environment.neighbours);
    environment.neighbours = neighbours;
    environment
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(low: &str, high: &str, wanted: &[&str]) {
        let nets: Vec<String> = cover(low.parse().unwrap(), high.parse().unwrap()).iter().map(Net::to_string).collect();
        assert_eq!(nets, wanted);
    }

    #[test]
    fn ranges_are_covered_by_the_fewest_nets() {
        check("192.0.2.1", "192.0.2.1", &["192.0.2.1/32"]);
        check("192.0.2.0", "192.0.2.255", &["192.0.2.0/24"]);
        check("192.0.2.1", "192.0.2.4", &["192.0.2.1/32", "192.0.2.2/31", "192.0.2.4/32"]);
        check("0.0.0.0", "255.255.255.255", &["0.0.0.0/0"]);
        check("2001:db8::", "2001:db8::ffff", &["2001:db8::/112"]);
    }
}
