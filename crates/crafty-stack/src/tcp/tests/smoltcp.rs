//! A stranger at the other end: smoltcp, in both roles, over links of every kind.

use super::pair::Dice;
use crate::checksum;
use crate::tcp::{Config, Connection, Segment, State};
use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;
use core::net::SocketAddr;
use crafty_value::{Duration, Time};
use smoltcp::iface::{Config as HostConfig, Interface, SocketHandle, SocketSet};
use smoltcp::phy::{Device, DeviceCapabilities, Medium, RxToken, TxToken};
use smoltcp::socket::tcp;
use smoltcp::time::Instant;
use smoltcp::wire::{HardwareAddress, IpAddress, IpCidr};

/// Queues of IP datagrams in place of an interface.
#[derive(Default)]
struct Queues {
    arriving: VecDeque<Vec<u8>>,
    leaving: Vec<Vec<u8>>,
}

struct Arriving(Vec<u8>);
struct Leaving<'a>(&'a mut Vec<Vec<u8>>);

impl RxToken for Arriving {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, f: F) -> R {
        f(&self.0)
    }
}

impl TxToken for Leaving<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, len: usize, f: F) -> R {
        let mut octets = alloc::vec![0; len];
        let result = f(&mut octets);
        self.0.push(octets);
        result
    }
}

impl Device for Queues {
    type RxToken<'a> = Arriving;
    type TxToken<'a> = Leaving<'a>;

    fn receive(&mut self, _: Instant) -> Option<(Arriving, Leaving<'_>)> {
        Some((Arriving(self.arriving.pop_front()?), Leaving(&mut self.leaving)))
    }

    fn transmit(&mut self, _: Instant) -> Option<Leaving<'_>> {
        Some(Leaving(&mut self.leaving))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ip;
        capabilities.max_transmission_unit = 1500;
        capabilities
    }
}

struct Stranger {
    interface: Interface,
    sockets: SocketSet<'static>,
    handle: SocketHandle,
    queues: Queues,
}

impl Stranger {
    fn new() -> Stranger {
        let mut queues = Queues::default();
        let mut interface = Interface::new(HostConfig::new(HardwareAddress::Ip), &mut queues, Instant::ZERO);
        interface.update_ip_addrs(|addresses| addresses.push(IpCidr::new(IpAddress::v4(10, 0, 0, 2), 24)).unwrap());
        let buffer = || tcp::SocketBuffer::new(alloc::vec![0; 1 << 16]);
        let mut sockets = SocketSet::new(Vec::new());
        let handle = sockets.add(tcp::Socket::new(buffer(), buffer()));
        Stranger { interface, sockets, handle, queues }
    }

    fn socket(&mut self) -> &mut tcp::Socket<'static> {
        self.sockets.get_mut(self.handle)
    }

    fn connect(&mut self) {
        let socket = self.sockets.get_mut::<tcp::Socket>(self.handle);
        socket.connect(self.interface.context(), (IpAddress::v4(10, 0, 0, 1), 80), 45000).unwrap();
    }

    fn poll(&mut self, now: Time) {
        let now = Instant::from_micros(now.0 / 1000);
        self.interface.poll(now, &mut self.queues, &mut self.sockets);
    }

    fn poll_timeout(&mut self, now: Time) -> Option<Time> {
        let at = self.interface.poll_at(Instant::from_micros(now.0 / 1000), &self.sockets)?;
        Some(Time(at.total_micros() * 1000))
    }
}

fn datagram(segment: &[u8]) -> Vec<u8> {
    let mut octets = alloc::vec![0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2];
    octets[2..4].copy_from_slice(&(20 + segment.len() as u16).to_be_bytes());
    let sum = checksum::of(&octets);
    octets[10..12].copy_from_slice(&sum.to_be_bytes());
    octets.extend_from_slice(segment);
    octets
}

/// The two hosts, what they have to say, and what they heard: ours first.
struct Meeting {
    now: Time,
    ours: Option<Connection>,
    config: Config,
    stranger: Stranger,
    to_send: [Vec<u8>; 2],
    sent: [usize; 2],
    heard: [Vec<u8>; 2],
    wire: BTreeMap<(Time, u64), (bool, Vec<u8>)>,
    dice: Dice,
    loss: u64,
    jitter: u64,
}

impl Meeting {
    fn carry(&mut self, to_us: bool, octets: Vec<u8>) {
        if !self.dice.hits(self.loss) {
            let at = self.now.after(Duration::millis(5)).after(Duration(self.dice.below(self.jitter + 1) as i64));
            let serial = self.dice.roll() >> 32;
            let serial = if self.jitter == 0 { self.wire.len() as u64 } else { serial };
            self.wire.insert((at, serial), (to_us, octets));
        }
    }

    fn ours_talks(&mut self) {
        let Some(tcp) = &mut self.ours else { return };
        let rest = &self.to_send[0][self.sent[0]..];
        if tcp.unsent() < 100_000 && tcp.send(&rest[..rest.len().min(50_000)]).is_ok() {
            self.sent[0] += rest.len().min(50_000);
        }
        tcp.read(&mut self.heard[0]);
        if self.sent[0] == self.to_send[0].len() && matches!(tcp.state(), State::Established | State::CloseWait) {
            tcp.close(self.now);
        }
        let mut out = Vec::new();
        while let Some(tcp) = &mut self.ours
            && tcp.poll_transmit(self.now, &mut out)
        {
            self.carry(false, datagram(&out));
        }
    }

    fn stranger_talks(&mut self) {
        let (now, sent) = (self.now, self.sent[1]);
        let socket = self.stranger.socket();
        if socket.can_send() {
            self.sent[1] += socket.send_slice(&self.to_send[1][sent..]).unwrap();
        }
        while socket.can_recv() {
            socket.recv(|octets| (octets.len(), self.heard[1].extend_from_slice(octets))).unwrap();
        }
        if self.sent[1] == self.to_send[1].len() && socket.may_send() {
            socket.close();
        }
        self.stranger.poll(now);
        for octets in core::mem::take(&mut self.stranger.queues.leaving) {
            self.carry(true, octets);
        }
    }

    fn arrive(&mut self) {
        while let Some(first) = self.wire.first_entry().filter(|first| first.key().0 <= self.now) {
            let (to_us, octets) = first.remove();
            if !to_us {
                self.stranger.queues.arriving.push_back(octets);
                continue;
            }
            let Some(segment) = Segment::of_datagram(&octets, true) else { continue };
            match &mut self.ours {
                Some(tcp) => tcp.handle_segment(self.now, &segment),
                None => self.ours = Connection::accept(self.config.clone(), &segment, 7_000, self.now),
            }
        }
    }

    fn run(&mut self) {
        for _ in 0..2_000_000 {
            self.ours_talks();
            self.stranger_talks();
            let ours = self.ours.as_ref().and_then(Connection::poll_timeout);
            let theirs = self.stranger.poll_timeout(self.now);
            let next = self.wire.keys().next().map(|(time, _)| *time);
            let Some(next) = [ours, theirs, next].into_iter().flatten().min() else { return };
            if next > Time(0).after(Duration::seconds(1000)) || self.over() {
                return;
            }
            self.now = self.now.max(next);
            self.arrive();
            if let Some(tcp) = &mut self.ours {
                tcp.handle_timeout(self.now);
            }
        }
    }

    fn over(&mut self) -> bool {
        let ours = self.ours.as_ref().is_some_and(|tcp| matches!(tcp.state(), State::Closed | State::TimeWait));
        ours && matches!(self.stranger.socket().state(), tcp::State::Closed | tcp::State::TimeWait)
    }
}

fn check(we_open: bool, sizes: [usize; 2], loss: u64, jitter_ms: i64, seed: u64) {
    let name = alloc::format!("we open {we_open} {sizes:?} loss {loss} jitter {jitter_ms} seed {seed}");
    let config =
        Config { close: Duration::seconds(500), timeout: Duration::seconds(100), give_up: Duration::seconds(500), ..Config::default() };
    let mut stranger = Stranger::new();
    let (local, remote): (SocketAddr, SocketAddr) = ("10.0.0.1:45000".parse().unwrap(), "10.0.0.2:80".parse().unwrap());
    let ours = we_open.then(|| Connection::open(config.clone(), local, remote, 1, Time(0)));
    match we_open {
        true => stranger.socket().listen(80).unwrap(),
        false => stranger.connect(),
    }
    let to_send = [0, 1].map(|n| (0..sizes[n]).map(|k| (k * 31 + n * 7 + k / 256) as u8).collect::<Vec<u8>>());
    let mut meeting = Meeting {
        now: Time(0),
        ours,
        config,
        stranger,
        to_send,
        sent: [0; 2],
        heard: [Vec::new(), Vec::new()],
        wire: BTreeMap::new(),
        dice: Dice(seed),
        loss,
        jitter: Duration::millis(jitter_ms).0 as u64,
    };
    meeting.run();
    assert!(meeting.heard[1] == meeting.to_send[0], "{name}: stranger heard {} at {}", meeting.heard[1].len(), meeting.now);
    assert!(meeting.heard[0] == meeting.to_send[1], "{name}: we heard {} at {}", meeting.heard[0].len(), meeting.now);
    assert!(meeting.over(), "{name}: {:?} {:?}", meeting.ours.map(|o| o.state()), meeting.stranger.socket().state());
}

#[test]
fn both_roles_on_a_clean_link() {
    for we_open in [true, false] {
        for sizes in [[1, 1], [100_000, 0], [0, 100_000], [2_000_000, 1_000_000]] {
            check(we_open, sizes, 0, 0, 1);
        }
    }
}

#[test]
fn both_roles_with_loss_and_reordering() {
    for (seed, loss) in [10_000, 50_000, 100_000, 200_000].into_iter().enumerate() {
        for we_open in [true, false] {
            check(we_open, [100_000, 20_000], loss, 0, seed as u64);
            check(we_open, [20_000, 50_000], loss / 2, 20, seed as u64);
        }
    }
}
