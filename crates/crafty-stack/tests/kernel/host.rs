//! Our host: one connection over the interface, through the weather of its case.

use crate::case::{Case, Far, Near};
use crate::far::PATIENCE;
use crate::octets::Stream;
use crate::watch::Watch;
use crafty_net::{Tun, now};
use crafty_stack::checksum;
use crafty_stack::tcp::{Connection, ConnectionEvent, Segment, TcpState};
use crafty_value::{Duration, Time};
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};

/// The connection, what it has to say and what it should hear.
pub struct Host<'a> {
    case: &'a Case,
    tcp: Option<Connection>,
    to_send: Stream,
    to_hear: Stream,
    /// What the stack gave and the program has not read, the room for more that was said last, and
    /// when it reads again.
    unread: Vec<u8>,
    room: u32,
    next_read: Time,
    dice: u64,
    held: Option<Vec<u8>>,
    early: Option<Vec<u8>>,
    closed: bool,
    watch: Watch,
}

impl Host<'_> {
    pub fn new(case: &Case, kernel_end: SocketAddr, our_end: SocketAddr) -> Host<'_> {
        let tcp = case
            .we_open
            .then(|| Connection::open(config(case), our_end, kernel_end, 0xffff_0000, now()));
        let (to_send, to_hear) = (Stream::new(0, case.sizes[0]), Stream::new(1, case.sizes[1]));
        let to_hear = match case.far {
            Far::Both => to_hear,
            Far::Echo | Far::SlowEcho => to_send,
        };
        Host {
            case,
            tcp,
            to_send,
            to_hear,
            unread: Vec::new(),
            room: case.config.window,
            next_read: now(),
            dice: 1,
            held: None,
            early: None,
            closed: false,
            watch: Watch::new(),
        }
    }

    /// Until both have closed and the kernel's end is `done`: what it missed is answered.
    pub fn run(mut self, mut tun: Tun, done: &AtomicBool) -> Result<(), String> {
        let end = now().after(Duration(PATIENCE.as_nanos() as i64));
        let mut packet = vec![0; 10_000];
        while !(self.closed && self.unread.is_empty() && done.load(Ordering::Relaxed)) {
            if now() > end {
                return Err(format!(
                    "not done: {:?}, sent {}, heard {}",
                    self.tcp,
                    self.to_send.at(),
                    self.to_hear.at()
                ));
            }
            self.speak(&mut tun)?;
            let due = self
                .tcp
                .as_ref()
                .and_then(Connection::poll_timeout)
                .unwrap_or(end);
            let wait = due.min(now().after(Duration::millis(20)));
            match tun.receive(&mut packet, wait).map_err(|e| e.to_string())? {
                Some(len) => self.arrives(&packet[..len]),
                None => self.release_early(),
            }
            if let Some(tcp) = self
                .tcp
                .as_mut()
                .filter(|tcp| tcp.poll_timeout().is_some_and(|due| due <= now()))
            {
                tcp.handle_timeout(now());
            }
        }
        if !self.to_hear.over() {
            return Err(format!("heard {} bytes only", self.to_hear.at()));
        }
        self.watch.verdict()
    }

    fn arrives(&mut self, packet: &[u8]) {
        self.watch.kernel_sent(packet);
        let weather = self.case.weather;
        if self.hits(weather.lost) {
            return;
        }
        if self.early.is_none() && self.hits(weather.swapped) {
            self.early = Some(packet.to_vec());
            return;
        }
        self.hear(packet);
        if self.hits(weather.doubled) {
            self.hear(packet);
        }
        self.release_early();
    }

    fn release_early(&mut self) {
        if let Some(early) = self.early.take() {
            self.hear(&early);
        }
    }

    fn hear(&mut self, packet: &[u8]) {
        let Some(segment) = Segment::of_datagram(packet, true) else {
            return;
        };
        self.watch.we_heard(packet);
        match &mut self.tcp {
            Some(tcp) => tcp.handle_segment(now(), &segment),
            None => self.tcp = Connection::accept(config(self.case), &segment, 77, now()),
        }
    }

    fn speak(&mut self, tun: &mut Tun) -> Result<(), String> {
        self.write();
        self.read()?;
        let Some(tcp) = &mut self.tcp else {
            return Ok(());
        };
        if self.to_send.over() && matches!(tcp.state(), TcpState::Established | TcpState::CloseWait)
        {
            tcp.close(now());
        }
        while let Some(event) = tcp.poll_event() {
            match event {
                ConnectionEvent::Reset(_)
                | ConnectionEvent::TimedOut
                | ConnectionEvent::OpenTimedOut
                | ConnectionEvent::Unreachable(_) => {
                    return Err(format!("{event:?}"));
                }
                ConnectionEvent::Closed => self.closed = true,
                _ => {}
            }
        }
        let mut segment = Vec::new();
        while let Some(tcp) = self.tcp.as_mut()
            && tcp.poll_transmit(now(), &mut segment)
        {
            let datagram = wrap(
                tcp.local().ip(),
                tcp.remote().ip(),
                tcp.last_sent().ecn,
                &segment,
            );
            self.watch.we_sent(&datagram);
            self.carry(tun, datagram)?;
        }
        if let Some(tcp) = &self.tcp {
            self.watch.look(tcp);
        }
        self.held.take().map_or(Ok(()), |held| self.put(tun, &held))
    }

    /// What our program writes now.
    fn write(&mut self) {
        let Some(tcp) = &mut self.tcp else { return };
        let most = match self.case.near {
            Near::Asks(message) => {
                let answered = self.to_hear.at() / message * message;
                (answered + message).saturating_sub(self.to_send.at())
            }
            Near::Bulk | Near::Slow(..) => 100_000,
        };
        if most > 0 && tcp.unsent() < 200_000 && !self.to_send.over() {
            let octets = self.to_send.next(most);
            if tcp.send(&octets).is_err() {
                self.to_send.give_back(octets.len());
            }
        }
    }

    /// What our program reads now. One that is slow says how much room it has left: less at once,
    /// more when that is half of all (RFC 9293 §3.8.6.2.2).
    fn read(&mut self) -> Result<(), String> {
        let Some(tcp) = &mut self.tcp else {
            return Ok(());
        };
        let Near::Slow(bytes, pause) = self.case.near else {
            self.to_hear.check(tcp.readable())?;
            tcp.read(&mut Vec::new());
            return Ok(());
        };
        tcp.read(&mut self.unread);
        if now() >= self.next_read && !self.unread.is_empty() {
            let n = bytes.min(self.unread.len());
            self.to_hear.check(&self.unread[..n])?;
            self.unread.drain(..n);
            self.next_read = now().after(pause);
        }
        let window = self.case.config.window;
        let room = window.saturating_sub(self.unread.len() as u32);
        if room < self.room || room > self.room && room >= window / 2 {
            tcp.set_window(room);
            self.room = room;
        }
        Ok(())
    }

    fn carry(&mut self, tun: &mut Tun, datagram: Vec<u8>) -> Result<(), String> {
        if datagram.len() > usize::from(self.case.mtu) {
            return Err(format!("a packet of {} bytes", datagram.len()));
        }
        let weather = self.case.weather;
        if self.hits(weather.lost) {
            return Ok(());
        }
        if self.held.is_none() && self.hits(weather.swapped) {
            self.held = Some(datagram);
            return Ok(());
        }
        self.put(tun, &datagram)?;
        if self.hits(weather.doubled) {
            self.put(tun, &datagram)?;
        }
        self.held.take().map_or(Ok(()), |held| self.put(tun, &held))
    }

    fn put(&mut self, tun: &mut Tun, datagram: &[u8]) -> Result<(), String> {
        self.watch.kernel_heard(datagram);
        tun.send(datagram)
            .map_err(|e| format!("the interface: {e}"))
    }

    fn hits(&mut self, per_mille: u64) -> bool {
        self.dice = self
            .dice
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.dice >> 33) % 1000 < per_mille
    }
}

fn config(case: &Case) -> crafty_stack::tcp::Config {
    let overhead = if case.v6 { 60 } else { 40 };
    crafty_stack::tcp::Config {
        mss: case.mtu - overhead,
        ..case.config.clone()
    }
}

fn wrap(source: IpAddr, destination: IpAddr, ecn: u8, segment: &[u8]) -> Vec<u8> {
    match (source, destination) {
        (IpAddr::V4(a), IpAddr::V4(b)) => {
            let [high, low] = (20 + segment.len() as u16).to_be_bytes();
            let mut octets = vec![0x45, ecn, high, low, 0, 0, 0x40, 0, 64, 6, 0, 0];
            octets.extend([a.octets(), b.octets()].concat());
            let sum = checksum::of(&octets);
            octets[10..12].copy_from_slice(&sum.to_be_bytes());
            [&octets, segment].concat()
        }
        (IpAddr::V6(a), IpAddr::V6(b)) => {
            let [high, low] = (segment.len() as u16).to_be_bytes();
            let head = [0x60, ecn << 4, 0, 0, high, low, 6, 64];
            [&head[..], &a.octets(), &b.octets(), segment].concat()
        }
        _ => Vec::new(),
    }
}
