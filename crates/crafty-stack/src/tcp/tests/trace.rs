//! Packet traces as text: what comes, what must leave and when.
//!
//! ```text
//! < S 0:0 win=1000 mss=1460     comes: flags, sequence numbers, acknowledgement if the flags have `.`, more
//! > S. 0:0 1                    must leave next; all that leaves must be named
//! +200                          this many milliseconds pass
//! send 100 / close / abort / note 50 / advance 10 / window 0 / too_big 600 / unreachable
//! = established                 the state now
//! ! Established                 the next event
//! count challenge_acks 3        a counter
//! ```
//! Sequence numbers count from each side's SYN. Flags: U S F R P . E W. In `ts=5,200` the peer's
//! stamp is 5, and it echoes ours of 200 ms.

use super::watch::{Watch, datagram};
use crate::icmp;
use crate::ip;
use crate::tcp::options::OptionWriter;
use crate::tcp::segment::{Draft, flags};
use crate::tcp::stamps::Stamps;
use crate::tcp::{Config, Connection, Segment, Seq, TcpState, counters};
use alloc::collections::VecDeque;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write;
use core::net::SocketAddr;
use crafty_value::{Duration, Time, Value};

const OURS: u32 = 0xffff_ff00;
const THEIRS: u32 = 0x7fff_ffff;
const FLAGS: [(char, u8); 8] = [
    ('U', flags::URG),
    ('S', flags::SYN),
    ('F', flags::FIN),
    ('R', flags::RST),
    ('P', flags::PSH),
    ('.', flags::ACK),
    ('E', flags::ECE),
    ('W', flags::CWR),
];

struct Trace {
    config: Config,
    tcp: Option<Connection>,
    now: Time,
    left: VecDeque<String>,
    /// Ways from state to state that were seen.
    ways: Vec<(TcpState, TcpState)>,
    watch: Watch,
}

/// Runs a trace that begins with our opening.
pub fn active(config: Config, text: &str) {
    play(config, Begin::Active, text).unwrap_or_else(|why| panic!("{why}\n{text}"));
}

/// Runs a trace that begins with the peer's SYN.
pub fn passive(config: Config, text: &str) {
    play(config, Begin::Passive, text).unwrap_or_else(|why| panic!("{why}\n{text}"));
}

/// Runs a trace from an established connection without options on, both windows 64 KB.
pub fn established(config: Config, text: &str) {
    play(config, Begin::Established, text).unwrap_or_else(|why| panic!("{why}\n{text}"));
}

/// How a trace begins.
#[derive(Clone, Copy, Debug)]
pub enum Begin {
    Active,
    Passive,
    Established,
}

/// Runs a trace; the ways between states that it went, or the line that did not hold.
pub fn play(config: Config, begin: Begin, text: &str) -> Result<Vec<(TcpState, TcpState)>, String> {
    let (local, remote) = ends();
    let opens = !matches!(begin, Begin::Passive);
    let tcp = opens.then(|| Connection::open(config.clone(), local, remote, OURS, Time(0)));
    let ways = if opens {
        alloc::vec![(TcpState::Closed, TcpState::SynSent)]
    } else {
        Vec::new()
    };
    let mut trace = Trace {
        config,
        tcp,
        now: Time(0),
        left: VecDeque::new(),
        ways,
        watch: Watch::default(),
    };
    if let Begin::Established = begin {
        trace.run("> S 0:0\n< S. 0:0 1 win=65535 mss=1000\n> . 1:1 1\n! Established")?;
    }
    trace.run(text)?;
    let faults = trace.watch.faults();
    match faults.is_empty() {
        true => Ok(core::mem::take(&mut trace.ways)),
        false => Err(alloc::format!("the referee found: {}", faults.join("; "))),
    }
}

fn ends() -> (SocketAddr, SocketAddr) {
    (
        "10.0.0.1:45000".parse().unwrap(),
        "10.0.0.2:80".parse().unwrap(),
    )
}

impl Trace {
    fn run(&mut self, text: &str) -> Result<(), String> {
        for (n, line) in text
            .lines()
            .map(str::trim)
            .enumerate()
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        {
            if !line.starts_with('>') {
                self.collect();
            }
            let quiet = line.starts_with(['>', '=', '!', 'c']) && !line.starts_with("close")
                || self.left.is_empty();
            let before = self.state();
            match quiet {
                true => self
                    .step(line)
                    .map_err(|why| alloc::format!("line {} `{line}`: {why}", n + 1))?,
                false => {
                    return Err(alloc::format!(
                        "before line {} `{line}`: also left {:?}",
                        n + 1,
                        self.left
                    ));
                }
            }
            self.ways
                .extend((before != self.state()).then(|| (before, self.state())));
        }
        self.collect();
        if self.left.is_empty() {
            Ok(())
        } else {
            Err(alloc::format!("at the end: also left {:?}", self.left))
        }
    }

    /// A port without a connection listens.
    fn state(&self) -> TcpState {
        self.tcp
            .as_ref()
            .map_or(TcpState::Listen, Connection::state)
    }

    fn step(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.split_whitespace();
        let first = words.next().unwrap_or_default();
        let number = || {
            words
                .clone()
                .next()
                .and_then(|w| w.parse::<u32>().ok())
                .unwrap_or(0)
        };
        if let Some(ms) = first.strip_prefix('+') {
            return self.pass(ms.parse().unwrap());
        }
        let now = self.now;
        match first {
            "<" => self.come(&line[2..]),
            ">" => return self.leave(&line[2..]),
            "=" => return same(self.tcp().state().name(), line[2..].trim()),
            "!" => {
                let event = self
                    .tcp()
                    .poll_event()
                    .map_or("none".into(), |event| alloc::format!("{event:?}"));
                return same(&event, line[2..].trim());
            }
            "count" => {
                let name = words.next().unwrap_or_default();
                let value = (counters::counter(name).unwrap().read)(self.tcp());
                let kind = if matches!(value, Value::Bool(_)) {
                    "Bool"
                } else {
                    "Int"
                };
                return same(
                    &alloc::format!("{value:?}"),
                    &alloc::format!("{kind}({})", words.next().unwrap_or_default()),
                );
            }
            "send" => {
                return self
                    .tcp()
                    .send(&alloc::vec![7; number() as usize])
                    .map(|_| ())
                    .map_err(|e| alloc::format!("{e:?}"));
            }
            "close" => self.tcp().close(now),
            "abort" => self.tcp().abort(now),
            "note" => {
                let seq_end = OURS.wrapping_add(number());
                self.tcp().note_sent(seq_end);
                self.craft(seq_end);
            }
            "advance" => return self.advance(number() as usize, false),
            "advance_fin" => return self.advance(0, true),
            "window" => self.tcp().set_window(number()),
            "too_big" => self.quote(icmp::IcmpErrorKind::TooBig { mtu: number() }),
            "unreachable" => self.quote(icmp::IcmpErrorKind::Unreachable { code: 1 }),
            other => return Err(alloc::format!("no such step `{other}`")),
        }
        Ok(())
    }

    fn advance(&mut self, octets: usize, fin: bool) -> Result<(), String> {
        let now = self.now;
        self.tcp()
            .advance(now, &alloc::vec![8; octets], fin)
            .map_err(|e| alloc::format!("{e:?}"))?;
        let next = self.tcp().snd_nxt();
        self.craft(next.0);
        Ok(())
    }

    /// A program sends in our name, up to this number.
    fn craft(&mut self, seq_end: u32) {
        let Some(tcp) = &self.tcp else { return };
        self.watch.crafted(tcp, seq_end);
    }

    fn tcp(&mut self) -> &mut Connection {
        self.tcp.as_mut().unwrap()
    }

    fn pass(&mut self, ms: i64) -> Result<(), String> {
        let until = self.now.after(Duration::millis(ms));
        while let Some(due) = self.tcp().poll_timeout().filter(|due| *due <= until) {
            self.now = self.now.max(due);
            let now = self.now;
            self.tcp().handle_timeout(now);
            self.collect();
            if self.now < until && !self.left.is_empty() {
                return Err(alloc::format!("at {} left {:?}", self.now, self.left));
            }
        }
        self.now = until;
        Ok(())
    }

    fn come(&mut self, line: &str) {
        let (octets, ecn) = build(line);
        let (local, remote) = ends();
        self.watch
            .heard(self.now, &datagram(remote.ip(), local.ip(), &octets));
        let segment = Segment {
            source: remote.ip(),
            destination: local.ip(),
            octets: &octets,
            ecn,
            checksum_ready: true,
        };
        match &mut self.tcp {
            Some(tcp) => tcp.handle_segment(self.now, &segment),
            None => self.tcp = Connection::accept(self.config.clone(), &segment, OURS, self.now),
        }
    }

    fn quote(&mut self, kind: icmp::IcmpErrorKind) {
        let (local, remote) = ends();
        let ports = Some((local.port(), remote.port()));
        let seq = Some(self.tcp().snd_una().0);
        let flow = icmp::QuotedDatagram {
            source: local.ip(),
            destination: remote.ip(),
            protocol: ip::TCP,
            ports,
            echo: None,
            seq,
        };
        let now = self.now;
        if let icmp::IcmpErrorKind::TooBig { mtu } = kind {
            self.watch.told(now, (local, remote), mtu);
        }
        self.tcp().handle_icmp(
            now,
            &icmp::IcmpError {
                reporter: remote.ip(),
                kind,
                flow,
            },
        );
    }

    fn collect(&mut self) {
        let Some(tcp) = &mut self.tcp else { return };
        let mut out = Vec::new();
        while tcp.poll_transmit(self.now, &mut out) {
            assert!(self.left.len() < 1000);
            self.left.push_back(show(&out, tcp.last_sent().ecn));
            let (local, remote) = ends();
            self.watch
                .sent(self.now, &datagram(local.ip(), remote.ip(), &out));
        }
        self.watch.look(tcp);
    }

    fn leave(&mut self, expected: &str) -> Result<(), String> {
        self.collect();
        let left = self.left.pop_front().ok_or("nothing leaves")?;
        let words: Vec<&str> = left.split_whitespace().collect();
        let head: Vec<&str> = expected
            .split_whitespace()
            .filter(|w| !w.contains('='))
            .collect();
        let holds =
            words.starts_with(&head) && words.get(head.len()).is_none_or(|w| w.contains('='));
        let more = expected
            .split_whitespace()
            .filter(|w| w.contains('='))
            .all(|w| words.contains(&w));
        if holds && more {
            Ok(())
        } else {
            Err(alloc::format!("left `{left}`"))
        }
    }
}

fn same(found: &str, expected: &str) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(alloc::format!("it is {found}"))
    }
}

fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.split_whitespace()
        .find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
}

fn pair(text: &str, at: char) -> (u32, u32) {
    let (a, b) = text.split_once(at).unwrap();
    (a.parse().unwrap(), b.parse().unwrap())
}

/// The bytes of a segment from the peer, and its ECN codepoint.
fn build(line: &str) -> (Vec<u8>, u8) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let bits = words[0]
        .chars()
        .map(|c| FLAGS.iter().find(|(name, _)| *name == c).unwrap().1)
        .sum::<u8>();
    let (start, end) = pair(words[1], ':');
    let ack = words
        .get(2)
        .and_then(|w| w.parse::<u32>().ok())
        .map_or(0, |ack| OURS.wrapping_add(ack));
    let number = |key| value(line, key).map(|v| v.parse::<u32>().unwrap());
    let mut options = OptionWriter::default();
    number("mss").inspect(|mss| options.mss(*mss as u16));
    number("ws").inspect(|shift| options.wscale(*shift as u8));
    if line.contains("sack_ok") {
        options.sack_ok();
    }
    let echo = |ms: u32| Stamps::new(OURS).value(Time(i64::from(ms) * 1_000_000));
    value(line, "ts")
        .map(|v| pair(v, ','))
        .inspect(|(stamp, ms)| options.timestamps(*stamp, echo(*ms)));
    let ours = |n: u32| Seq(OURS.wrapping_add(n));
    let blocks = value(line, "sack")
        .into_iter()
        .flat_map(|v| v.split(','))
        .map(|v| pair(v, '-'));
    options.sack(&blocks.map(|(a, b)| (ours(a), ours(b))).collect::<Vec<_>>());
    let payload = alloc::vec![5; (end - start) as usize];
    let draft = Draft {
        seq: Seq(THEIRS.wrapping_add(start)),
        ack: Seq(ack),
        flags: bits,
        window: number("win").unwrap_or(65535) as u16,
        options: options.as_slice(),
        payload: [&payload, &[]],
    };
    let (local, remote) = ends();
    let mut out = Vec::new();
    draft.write(remote, local, &mut out);
    if line.contains("bad") {
        out[16] ^= 1;
    }
    (out, if line.contains("ce") { 3 } else { 0 })
}

/// One of our segments in words.
fn show(octets: &[u8], ecn: u8) -> String {
    let (local, remote) = ends();
    let segment = Segment {
        source: local.ip(),
        destination: remote.ip(),
        octets,
        ecn,
        checksum_ready: true,
    };
    assert!(segment.checksum_holds());
    let h = segment.header().unwrap();
    let mut text: String = FLAGS
        .iter()
        .filter(|(_, bit)| h.has(*bit))
        .map(|(name, _)| *name)
        .collect();
    let start = h.seq.since(Seq(OURS));
    let _ = write!(text, " {start}:{}", start + h.payload.len() as u32);
    if h.has(flags::ACK) {
        let _ = write!(text, " {}", h.ack.0.wrapping_sub(THEIRS));
    }
    let _ = write!(text, " win={} ecn={ecn}", h.window);
    for (left, right) in h.options.blocks() {
        let _ = write!(
            text,
            " sack={}-{}",
            left.0.wrapping_sub(THEIRS),
            right.0.wrapping_sub(THEIRS)
        );
    }
    for (name, value) in [
        ("mss", h.options.mss.map(|v| v.to_string())),
        ("ws", h.options.wscale.map(|v| v.to_string())),
    ] {
        value.inspect(|value| text.extend([" ", name, "=", value]));
    }
    if let Some((_, echo)) = h.options.timestamps {
        let _ = write!(text, " echo={echo}");
    }
    text
}
