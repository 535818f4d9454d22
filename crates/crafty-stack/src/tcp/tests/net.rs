//! Two hosts of any make on one link, in virtual time: ours, and a stranger's (smoltcp).

use super::pair::{Dice, Link};
use super::talk::{Rhythm, Talk};
use super::watch::{Watch, datagram};
use crate::tcp::{Config, Connection, Segment, TcpState};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::net::{Ipv4Addr, SocketAddr};
use crafty_referee::harness::SMOLTCP_BREAKS;
use crafty_sim::QueueDevice;
use crafty_value::{Duration, Time};
use smoltcp::iface::{Config as HostConfig, Interface, SocketHandle, SocketSet};
use smoltcp::phy::Medium;
use smoltcp::socket::tcp;
use smoltcp::time::Instant;
use smoltcp::wire::{HardwareAddress, IpAddress, IpCidr};

/// Bytes that a host hands to its stack at once.
const CHUNK: usize = 50_000;

/// A host: one connection, a program that writes its stream, reads the other, and then closes.
pub trait Host {
    fn hear(&mut self, now: Time, datagram: &[u8]);
    /// What it sends now; programs write and read, timers are served.
    fn speak(&mut self, now: Time, out: &mut Vec<Vec<u8>>);
    fn due(&mut self, now: Time) -> Option<Time>;
    fn heard(&self) -> &[u8];
    /// Whether both ends have closed, as far as it knows.
    fn over(&mut self) -> bool;
    /// Our connection, if it is ours.
    fn ours(&self) -> Option<&Connection>;
    /// Rules that a stranger is known to break.
    fn breaks(&self) -> Vec<&'static str> {
        Vec::new()
    }
}

/// An end of the link: 0 opens from 10.0.0.1, 1 answers at 10.0.0.2.
fn ends() -> [SocketAddr; 2] {
    [
        "10.0.0.1:45000".parse().unwrap(),
        "10.0.0.2:80".parse().unwrap(),
    ]
}

/// What a peer of ours makes of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// As we are.
    Own,
    /// Takes a segment only by the letter of RFC 9293 §3.10.7.4.
    Strict,
    /// Sends more than it may.
    Sloppy,
    /// Holds the peer's window as a distance from SND.UNA, and lets an old sequence number change it
    /// no more (SND.WL1): an acknowledgement that comes with a retransmission then moves the right
    /// edge beyond what was offered.
    Distance,
}

/// SND.WL1, SND.WL2 and SND.WND as [`Manner::Distance`] has them.
type Distance = (i64, i64, u64);

/// Bytes beyond the window that a sloppy peer sends.
const TOO_MUCH: u64 = 700;

/// Our stack.
pub struct Ours {
    pub tcp: Option<Connection>,
    config: Config,
    talk: Talk,
    closes: bool,
    manner: Manner,
    distance: Option<Distance>,
    /// What was offered last, before it was rounded to the unit of the scale.
    room: u32,
}

impl Ours {
    pub fn new(config: Config, end: usize, to_send: Vec<u8>, closes: bool) -> Ours {
        let talk = Talk::new(Rhythm::Bulk, None, to_send);
        Ours::with(config, end, talk, closes, Manner::Own)
    }

    pub fn with(config: Config, end: usize, talk: Talk, closes: bool, manner: Manner) -> Ours {
        let tcp =
            (end == 0).then(|| Connection::open(config.clone(), ends()[0], ends()[1], 1, Time(0)));
        Ours {
            tcp,
            room: config.window,
            config,
            talk,
            closes,
            manner,
            distance: None,
        }
    }

    /// Takes the window as [`Manner::Distance`] does; `start` and `ack` are positions.
    fn keep_distance(&mut self, start: i64, ack: i64, window: u64) {
        let Some(tcp) = &mut self.tcp else { return };
        let (wl1, wl2, known) = self.distance.unwrap_or((start, ack, tcp.tx.window));
        let newer = (wl1, wl2) <= (start, ack) && ack <= tcp.tx.nxt as i64;
        let (wl1, wl2, known) = if newer {
            (start, ack, window)
        } else {
            (wl1, wl2, known)
        };
        self.distance = Some((wl1, wl2, known));
        tcp.tx.edge = tcp.tx.una + known;
    }

    /// Moves bytes between program and stack.
    fn work(&mut self, now: Time) {
        let Some(tcp) = &mut self.tcp else { return };
        self.talk.unread.extend(tcp.readable());
        tcp.read(&mut Vec::new());
        while self.talk.read_buffered(now) {}
        let room = self.config.window as usize;
        let room = room.saturating_sub(self.talk.unread.len()) as u32;
        // Room that the peer knows of is not news, nor is a little more (RFC 9293 §3.8.6.2.2).
        let more = room > self.room && room >= self.config.window / 2;
        let news = more && tcp.rx.nxt + u64::from(room) > tcp.rx.edge;
        if room < self.room || news {
            tcp.set_window(room);
            self.room = room;
        }
        let next = self.talk.writes();
        let next = &next[..next.len().min(CHUNK)];
        if tcp.unsent() < 2 * CHUNK as u64 && tcp.send(next).is_ok() {
            self.talk.sent += next.len();
        }
        let open = matches!(tcp.state(), TcpState::Established | TcpState::CloseWait);
        if self.closes && open && self.talk.wrote_all(tcp.state() == TcpState::CloseWait) {
            tcp.close(now);
        }
    }
}

/// RFC 9293 §3.10.7.4, first check, by the letter: the right edge itself lies outside.
fn strictly_acceptable(tcp: &Connection, segment: &Segment<'_>) -> bool {
    let Some(header) = segment.header().filter(|_| tcp.state().synchronised()) else {
        return true;
    };
    let (start, len) = (tcp.rx.position(header.seq), i64::from(header.len()));
    let (next, edge) = (tcp.rx.nxt as i64, tcp.rx.edge as i64);
    let inside = |at: i64| (next..edge).contains(&at);
    match (len, edge > next) {
        (0, false) => start == next,
        (_, false) => false,
        (0, true) => inside(start),
        (_, true) => inside(start) || inside(start + len - 1),
    }
}

impl Host for Ours {
    fn hear(&mut self, now: Time, datagram: &[u8]) {
        let Some(segment) = Segment::of_datagram(datagram, true) else {
            return;
        };
        let Some(tcp) = &mut self.tcp else {
            self.tcp = Connection::accept(self.config.clone(), &segment, 7_000, now);
            return;
        };
        if self.manner == Manner::Strict && !strictly_acceptable(tcp, &segment) {
            tcp.due.ack = true;
            return;
        }
        let header = segment.header().filter(|_| tcp.state().synchronised());
        let said = header.map(|h| {
            let window = u64::from(h.window) << tcp.tx.shift;
            (tcp.rx.position(h.seq), tcp.tx.position(h.ack), window)
        });
        tcp.handle_segment(now, &segment);
        if let Some((start, ack, window)) = said.filter(|_| self.manner == Manner::Distance) {
            return self.keep_distance(start, ack, window);
        }
        if self.manner == Manner::Sloppy && tcp.state() == TcpState::Established {
            tcp.tx.edge += TOO_MUCH;
        }
    }

    fn speak(&mut self, now: Time, out: &mut Vec<Vec<u8>>) {
        if let Some(tcp) = &mut self.tcp
            && tcp.poll_timeout().is_some_and(|due| due <= now)
        {
            tcp.handle_timeout(now);
        }
        self.work(now);
        let Some(tcp) = &mut self.tcp else { return };
        let mut segment = Vec::new();
        while tcp.poll_transmit(now, &mut segment) {
            out.push(datagram(tcp.local().ip(), tcp.remote().ip(), &segment));
        }
    }

    fn due(&mut self, now: Time) -> Option<Time> {
        let timer = self.tcp.as_ref()?.poll_timeout();
        let reads = self.talk.due(now).filter(|_| !self.talk.unread.is_empty());
        timer.into_iter().chain(reads).min()
    }

    fn heard(&self) -> &[u8] {
        self.talk.heard()
    }

    fn over(&mut self) -> bool {
        let closed =
            |tcp: &Connection| matches!(tcp.state(), TcpState::Closed | TcpState::TimeWait);
        self.talk.unread.is_empty() && self.tcp.as_ref().is_some_and(closed)
    }

    fn ours(&self) -> Option<&Connection> {
        self.tcp.as_ref()
    }

    fn breaks(&self) -> Vec<&'static str> {
        match self.manner {
            Manner::Sloppy => alloc::vec!["beyond_window", "fin_beyond_window"],
            _ => Vec::new(),
        }
    }
}

/// smoltcp.
pub struct Stranger {
    interface: Interface,
    sockets: SocketSet<'static>,
    handle: SocketHandle,
    queues: QueueDevice,
    talk: Talk,
    closes: bool,
}

impl Stranger {
    /// `buffer` bytes in either direction.
    pub fn new(mtu: usize, buffer: usize, end: usize, to_send: Vec<u8>, closes: bool) -> Stranger {
        let talk = Talk::new(Rhythm::Bulk, None, to_send);
        Stranger::with(mtu, buffer, end, talk, closes)
    }

    pub fn with(mtu: usize, buffer: usize, end: usize, talk: Talk, closes: bool) -> Stranger {
        let mut queues = QueueDevice::new(Medium::Ip, mtu);
        let mut interface = Interface::new(
            HostConfig::new(HardwareAddress::Ip),
            &mut queues,
            Instant::ZERO,
        );
        let own = IpCidr::new(IpAddress::v4(10, 0, 0, 1 + end as u8), 24);
        interface.update_ip_addrs(|addresses| addresses.push(own).unwrap());
        let memory = |octets| tcp::SocketBuffer::new(alloc::vec![0; octets]);
        let mut sockets = SocketSet::new(Vec::new());
        let mut socket = tcp::Socket::new(memory(buffer), memory(buffer.max(1 << 16)));
        socket.set_congestion_control(tcp::CongestionControl::Reno);
        let handle = sockets.add(socket);
        let socket = sockets.get_mut::<tcp::Socket>(handle);
        match end {
            0 => socket
                .connect(interface.context(), (Ipv4Addr::new(10, 0, 0, 2), 80), 45000)
                .unwrap(),
            _ => socket.listen(80).unwrap(),
        }
        Stranger {
            interface,
            sockets,
            handle,
            queues,
            talk,
            closes,
        }
    }
}

impl Host for Stranger {
    fn hear(&mut self, _: Time, datagram: &[u8]) {
        self.queues.arriving.push_back(datagram.to_vec());
    }

    fn speak(&mut self, now: Time, out: &mut Vec<Vec<u8>>) {
        let instant = Instant::from_micros(now.0 / 1000);
        self.interface
            .poll(instant, &mut self.queues, &mut self.sockets);
        let socket = self.sockets.get_mut::<tcp::Socket>(self.handle);
        let talk = &mut self.talk;
        while socket.can_recv() && talk.reads(now) > 0 {
            let take = |bytes: &mut [u8]| {
                let n = talk.reads(now).min(bytes.len());
                talk.read(now, &bytes[..n]);
                (n, ())
            };
            socket.recv(take).unwrap();
        }
        if socket.can_send() {
            talk.sent += socket.send_slice(talk.writes()).unwrap();
        }
        let ended = !socket.may_recv() && !socket.can_recv();
        if self.closes && talk.wrote_all(ended) && socket.may_send() {
            socket.close();
        }
        self.interface
            .poll(instant, &mut self.queues, &mut self.sockets);
        out.append(&mut self.queues.leaving);
    }

    fn due(&mut self, now: Time) -> Option<Time> {
        let at = self
            .interface
            .poll_at(Instant::from_micros(now.0 / 1000), &self.sockets);
        let timer = at.map(|at| Time(at.total_micros() * 1000));
        let socket = self.sockets.get::<tcp::Socket>(self.handle);
        let reads = self.talk.due(now).filter(|_| socket.can_recv());
        timer.into_iter().chain(reads).min()
    }

    fn heard(&self) -> &[u8] {
        self.talk.heard()
    }

    fn over(&mut self) -> bool {
        let socket = self.sockets.get_mut::<tcp::Socket>(self.handle);
        let closed = matches!(socket.state(), tcp::State::Closed | tcp::State::TimeWait);
        closed && !socket.can_recv()
    }

    fn ours(&self) -> Option<&Connection> {
        None
    }

    fn breaks(&self) -> Vec<&'static str> {
        SMOLTCP_BREAKS.iter().map(|(rule, _)| *rule).collect()
    }
}

/// Both hosts and what is on its way.
pub struct Net {
    pub now: Time,
    pub hosts: [Box<dyn Host>; 2],
    link: Link,
    dice: Dice,
    wire: BTreeMap<(Time, u64), (usize, Vec<u8>)>,
    serial: u64,
    free_at: [Time; 2],
    watch: Watch,
}

impl Net {
    pub fn new(hosts: [Box<dyn Host>; 2], link: Link, seed: u64) -> Net {
        let mut watch = Watch::of(alloc::format!("seed {seed}, {link:?}"));
        for (host, end) in hosts.iter().zip(ends()) {
            host.breaks()
                .into_iter()
                .for_each(|rule| watch.knows(end, rule));
        }
        Net {
            now: Time(0),
            watch,
            hosts,
            link,
            dice: Dice(seed),
            wire: BTreeMap::new(),
            serial: 0,
            free_at: [Time(0); 2],
        }
    }

    /// Runs until `done` says so, or `limit` is over; false then.
    pub fn run(
        &mut self,
        limit: Duration,
        mut done: impl FnMut(&mut [Box<dyn Host>; 2]) -> bool,
    ) -> bool {
        self.speak(0);
        self.speak(1);
        let mut still = 0;
        loop {
            if done(&mut self.hosts) {
                return true;
            }
            let [a, b] = [0, 1].map(|n| self.hosts[n].due(self.now));
            let Some(next) = [a, b, self.wire.keys().next().map(|(at, _)| *at)]
                .into_iter()
                .flatten()
                .min()
            else {
                return false;
            };
            if next > Time(0).after(limit) {
                return false;
            }
            still = if next <= self.now { still + 1 } else { 0 };
            assert!(still < 100_000, "time stands still");
            self.now = self.now.max(next);
            match self
                .wire
                .first_entry()
                .filter(|first| first.key().0 <= self.now)
            {
                Some(first) => {
                    let (to, datagram) = first.remove();
                    self.watch.heard(self.now, &datagram);
                    self.hosts[to].hear(self.now, &datagram);
                    self.speak(to);
                }
                None => (0..2).for_each(|n| self.speak(n)),
            }
        }
    }

    /// What our connections know, for messages of failed tests.
    pub fn told(&self) -> String {
        let ours = self.hosts.iter().map(|host| host.ours());
        alloc::format!("{:?}", ours.collect::<Vec<_>>())
    }

    /// What the referee found so far, and then the last datagrams.
    pub fn faults(&mut self) -> Vec<String> {
        let mut faults = self.watch.faults();
        if !faults.is_empty() {
            faults.push(self.watch.trace());
        }
        faults
    }

    fn speak(&mut self, from: usize) {
        let mut leaving = Vec::new();
        self.hosts[from].speak(self.now, &mut leaving);
        for datagram in leaving {
            self.watch.sent(self.now, &datagram);
            self.carry(1 - from, datagram);
        }
        if let Some(tcp) = self.hosts[from].ours() {
            self.watch.look(tcp);
        }
    }

    fn carry(&mut self, to: usize, datagram: Vec<u8>) {
        let link = self.link;
        assert!(datagram.len() <= link.mtu, "{} bytes", datagram.len());
        let serialised = match link.rate {
            0 => self.now,
            rate => self.free_at[to].max(self.now).after(Duration(
                datagram.len() as i64 * 1_000_000_000 / rate as i64,
            )),
        };
        self.free_at[to] = serialised;
        if self.dice.hits(link.loss) {
            return;
        }
        for _ in 0..=u64::from(self.dice.hits(link.twice)) {
            let at = serialised
                .after(link.delay)
                .after(Duration(self.dice.below(link.jitter.0 as u64 + 1) as i64));
            self.serial += 1;
            self.wire.insert((at, self.serial), (to, datagram.clone()));
        }
    }
}
