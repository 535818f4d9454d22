//! The test network: a client, a server, and a link that delays, loses, doubles, reorders, cuts and
//! marks by seeded dice.

use super::watch::{Watch, datagram};
use crate::icmp;
use crate::ip;
use crate::tcp::{Config, Connection, ConnectionEvent, Segment, TcpState};
use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;
use core::net::SocketAddr;
use crafty_value::{Duration, Time};

/// What the link does, per million where it is a matter of chance.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    pub delay: Duration,
    /// Extra delay up to this, by chance: reorders.
    pub jitter: Duration,
    pub loss: u64,
    pub twice: u64,
    pub marks: u64,
    /// Largest IP datagram; what is larger vanishes, told or not.
    pub mtu: usize,
    pub tells_mtu: bool,
    /// Bytes a second; 0 for no limit.
    pub rate: u64,
}

impl Link {
    pub fn clean(delay_ms: i64) -> Link {
        Link {
            delay: Duration::millis(delay_ms),
            jitter: Duration::ZERO,
            loss: 0,
            twice: 0,
            marks: 0,
            mtu: 9000,
            tells_mtu: true,
            rate: 0,
        }
    }
}

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.roll() % limit.max(1)
    }

    pub fn hits(&mut self, ppm: u64) -> bool {
        self.below(1_000_000) < ppm
    }
}

/// One end with what it has to say and what it heard.
pub struct End {
    pub tcp: Option<Connection>,
    pub to_send: VecDeque<u8>,
    pub heard: Vec<u8>,
    pub events: Vec<ConnectionEvent>,
    pub closes: bool,
    pub sent: u64,
}

struct OnWire {
    to: usize,
    octets: Vec<u8>,
    ecn: u8,
}

pub struct Pair {
    pub now: Time,
    pub ends: [End; 2],
    pub link: Link,
    pub dice: Dice,
    /// An end, and how many bytes it is to hear: then the run is over.
    pub goal: Option<(usize, usize)>,
    server: Config,
    addresses: [SocketAddr; 2],
    wire: BTreeMap<(Time, u64), OnWire>,
    serial: u64,
    free_at: [Time; 2],
    too_big: Vec<usize>,
    watch: Watch,
}

pub const CLIENT: usize = 0;
pub const SERVER: usize = 1;

impl Pair {
    pub fn new(client: Config, server: Config, link: Link, seed: u64) -> Pair {
        Pair::between(
            client,
            server,
            link,
            seed,
            ["10.0.0.1:45000", "10.0.0.2:80"],
        )
    }

    pub fn between(client: Config, server: Config, link: Link, seed: u64, ends: [&str; 2]) -> Pair {
        let addresses: [SocketAddr; 2] = ends.map(|end| end.parse().unwrap());
        let mut dice = Dice(seed);
        let case = alloc::format!("seed {seed}, {link:?}, client {client:?}, server {server:?}");
        let open = Connection::open(
            client,
            addresses[0],
            addresses[1],
            dice.roll() as u32,
            Time(0),
        );
        let end = |tcp| End {
            tcp,
            to_send: VecDeque::new(),
            heard: Vec::new(),
            events: Vec::new(),
            closes: false,
            sent: 0,
        };
        Pair {
            now: Time(0),
            ends: [end(Some(open)), end(None)],
            link,
            dice,
            goal: None,
            server,
            addresses,
            wire: BTreeMap::new(),
            serial: 0,
            free_at: [Time(0); 2],
            too_big: Vec::new(),
            watch: Watch::of(case),
        }
    }

    pub fn tcp(&mut self, end: usize) -> &mut Connection {
        self.ends[end].tcp.as_mut().unwrap()
    }

    /// Another connection is at this end from now on.
    pub fn replace(&mut self, end: usize, tcp: Connection) {
        self.watch.gone(&tcp);
        self.ends[end].tcp = Some(tcp);
    }

    /// Runs until nothing is due before `until`, or both ends are done.
    pub fn run(&mut self, until: Time) {
        let mut stuck_at = (self.now, 0u32);
        while self.now < until && !self.done() {
            self.talk();
            let heard = self
                .goal
                .is_some_and(|(end, octets)| self.ends[end].heard.len() >= octets);
            let Some(next) = self.next().filter(|_| !heard) else {
                return;
            };
            self.now = self.now.max(next.min(until));
            stuck_at = if stuck_at.0 == self.now {
                (self.now, stuck_at.1 + 1)
            } else {
                (self.now, 0)
            };
            assert!(stuck_at.1 < 100_000, "time stands still");
            self.arrive();
            for end in &mut self.ends {
                if let Some(tcp) = &mut end.tcp
                    && tcp.poll_timeout().is_some_and(|due| due <= self.now)
                {
                    tcp.handle_timeout(self.now);
                }
            }
        }
        self.talk();
    }

    /// What both ends know, for messages of failed tests.
    pub fn told(&self) -> alloc::string::String {
        let one = |end: &End| alloc::format!("{:?} {:?}", end.events, end.tcp);
        alloc::format!(
            "at {} client {} server {}",
            self.now,
            one(&self.ends[0]),
            one(&self.ends[1])
        )
    }

    pub fn done(&self) -> bool {
        let over = |end: &End| {
            end.tcp
                .as_ref()
                .is_some_and(|tcp| matches!(tcp.state(), TcpState::Closed | TcpState::TimeWait))
        };
        self.wire.is_empty() && self.ends.iter().all(over)
    }

    fn next(&self) -> Option<Time> {
        let timeouts = self
            .ends
            .iter()
            .filter_map(|end| end.tcp.as_ref()?.poll_timeout());
        timeouts
            .chain(self.wire.keys().next().map(|(time, _)| *time))
            .min()
    }

    /// Programs write and read, stacks send.
    fn talk(&mut self) {
        for n in [CLIENT, SERVER] {
            self.write(n);
            let mut out = Vec::new();
            let mut burst = 0;
            while let Some(tcp) = &mut self.ends[n].tcp
                && tcp.poll_transmit(self.now, &mut out)
            {
                let ecn = tcp.last_sent().ecn;
                self.ends[n].sent += 1;
                let (source, destination) = (self.addresses[n].ip(), self.addresses[1 - n].ip());
                self.watch
                    .sent(self.now, &datagram(source, destination, &out));
                self.carry(1 - n, &out, ecn);
                burst += 1;
                assert!(burst < 100_000, "endless burst");
            }
            if let Some(tcp) = &self.ends[n].tcp {
                self.watch.look(tcp);
            }
        }
    }

    fn write(&mut self, n: usize) {
        let end = &mut self.ends[n];
        let Some(tcp) = &mut end.tcp else { return };
        while let Some(event) = tcp.poll_event() {
            end.events.push(event);
        }
        let mut read = Vec::new();
        tcp.read(&mut read);
        end.heard.extend_from_slice(&read);
        if !end.to_send.is_empty() && tcp.unsent() < 1 << 18 {
            let chunk: Vec<u8> = end.to_send.iter().take(1 << 17).copied().collect();
            if tcp.send(&chunk).is_ok() {
                end.to_send.drain(..chunk.len());
            }
        }
        if end.closes
            && end.to_send.is_empty()
            && matches!(tcp.state(), TcpState::Established | TcpState::CloseWait)
        {
            tcp.close(self.now);
        }
    }

    fn carry(&mut self, to: usize, octets: &[u8], ecn: u8) {
        let header = if self.addresses[0].is_ipv4() { 20 } else { 40 };
        if header + octets.len() > self.link.mtu {
            self.too_big.push(1 - to);
            return self.tell_too_big(1 - to, octets);
        }
        if self.dice.hits(self.link.loss) {
            return;
        }
        let copies = 1 + u64::from(self.dice.hits(self.link.twice));
        for _ in 0..copies {
            let ecn = if ecn != 0 && self.dice.hits(self.link.marks) {
                3
            } else {
                ecn
            };
            let at = self.arrival(to, header + octets.len());
            self.serial += 1;
            self.wire.insert(
                (at, self.serial),
                OnWire {
                    to,
                    octets: octets.to_vec(),
                    ecn,
                },
            );
        }
    }

    fn arrival(&mut self, to: usize, octets: usize) -> Time {
        let serialised = match self.link.rate {
            0 => self.now,
            rate => self.free_at[to]
                .max(self.now)
                .after(Duration(octets as i64 * 1_000_000_000 / rate as i64)),
        };
        self.free_at[to] = serialised;
        serialised.after(self.link.delay).after(Duration(
            self.dice.below(self.link.jitter.0 as u64 + 1) as i64,
        ))
    }

    fn tell_too_big(&mut self, end: usize, octets: &[u8]) {
        if !self.link.tells_mtu {
            return;
        }
        let word = |at: usize| u32::from_be_bytes(octets[at..at + 4].try_into().unwrap());
        let flow = icmp::QuotedDatagram {
            source: self.addresses[end].ip(),
            destination: self.addresses[1 - end].ip(),
            protocol: ip::TCP,
            ports: Some((self.addresses[end].port(), self.addresses[1 - end].port())),
            echo: None,
            seq: Some(word(4)),
        };
        let error = icmp::IcmpError {
            reporter: flow.destination,
            kind: icmp::IcmpErrorKind::TooBig {
                mtu: self.link.mtu as u32,
            },
            flow,
        };
        let now = self.now;
        let ends = (self.addresses[end], self.addresses[1 - end]);
        self.watch.told(now, ends, self.link.mtu as u32);
        self.tcp(end).handle_icmp(now, &error);
    }

    fn arrive(&mut self) {
        while let Some(first) = self
            .wire
            .first_entry()
            .filter(|first| first.key().0 <= self.now)
        {
            let packet = first.remove();
            self.deliver(packet.to, &packet.octets, packet.ecn);
        }
    }

    /// Hands bytes to an end as if they came from the other.
    pub fn deliver(&mut self, to: usize, octets: &[u8], ecn: u8) {
        let (source, destination) = (self.addresses[1 - to].ip(), self.addresses[to].ip());
        self.watch
            .heard(self.now, &datagram(source, destination, octets));
        let segment = Segment {
            source,
            destination,
            octets,
            ecn,
            checksum_ready: true,
        };
        match &mut self.ends[to].tcp {
            Some(tcp) => tcp.handle_segment(self.now, &segment),
            None => {
                self.ends[to].tcp = Connection::accept(
                    self.server.clone(),
                    &segment,
                    self.dice.roll() as u32,
                    self.now,
                )
            }
        }
    }
}
