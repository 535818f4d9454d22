//! The referee, as every test network has it: it sees what each end sends and hears, and fails the
//! test in which an end of ours does what TCP may never do.

use crate::checksum;
use crate::tcp::{Connection, Segment, TcpState};
use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::net::{IpAddr, SocketAddr};
use crafty_referee::{DatagramContext, Referee, VantagePoint, Violation};
use crafty_value::Time;

/// Datagrams that the message of a failed test shows.
const SHOWN: usize = 60;

/// Sees all that passes between two ends.
#[derive(Debug, Default)]
pub struct Watch {
    referee: Referee,
    index: u64,
    now: Time,
    /// Which case of a test this is, for the message of one that fails.
    case: String,
    /// What passed last, and whether it was sent or heard.
    last: VecDeque<(Time, &'static str, Vec<u8>)>,
    /// Ends that are not ours, with rules that they are known to break.
    strangers: Vec<(SocketAddr, &'static [&'static str])>,
}

impl Watch {
    /// For this case of a test.
    pub fn of(case: String) -> Watch {
        let mut watch = Watch::default();
        watch.case = case;
        watch
    }

    /// The end at this address is a stranger's, which is known to break these rules.
    pub fn stranger(&mut self, end: SocketAddr, breaks: &'static [&'static str]) {
        self.strangers.push((end, breaks));
    }

    pub fn sent(&mut self, now: Time, datagram: &[u8]) {
        let about = self.about(now);
        self.referee.sent(about, datagram, VantagePoint::AtTheEnd);
        self.keep("sent", datagram);
    }

    pub fn heard(&mut self, now: Time, datagram: &[u8]) {
        let about = self.about(now);
        self.referee.heard(about, datagram, VantagePoint::AtTheEnd);
        self.keep("heard", datagram);
    }

    /// Whether this end of ours has something to send, and whether it is there at all.
    pub fn look(&mut self, tcp: &Connection) {
        let ends = (tcp.local(), tcp.remote());
        match tcp.state() {
            TcpState::Closed => self.referee.gone(ends),
            _ => self.referee.wants(ends, tcp.unsent() > 0),
        }
    }

    /// What was between these ends of ours is forgotten.
    pub fn gone(&mut self, tcp: &Connection) {
        self.referee.gone((tcp.local(), tcp.remote()));
    }

    /// The first of these ends learns a path MTU.
    pub fn told(&mut self, now: Time, ends: (SocketAddr, SocketAddr), mtu: u32) {
        let about = self.about(now);
        self.referee.told_path_mtu(about, ends, mtu);
    }

    /// A program sends in the name of this end, up to this number.
    pub fn crafted(&mut self, tcp: &Connection, seq_end: u32) {
        self.referee.crafted((tcp.local(), tcp.remote()), seq_end);
    }

    /// What was found up to now, but for what strangers are known for.
    pub fn faults(&mut self) -> Vec<String> {
        self.referee.until(self.now);
        self.unexpected().map(ToString::to_string).collect()
    }

    fn unexpected(&self) -> impl Iterator<Item = &Violation> {
        let known = |end: SocketAddr, rule| {
            let breaks = |row: &(SocketAddr, &[&str])| row.0 == end && row.1.contains(&rule);
            self.strangers.iter().any(breaks)
        };
        let faults = self.referee.faults().iter();
        faults.filter(move |fault| !known(fault.ends.0, fault.rule))
    }

    /// Keeps the datagrams up to the first fault.
    fn keep(&mut self, what: &'static str, datagram: &[u8]) {
        if self.unexpected().next().is_some() {
            return;
        }
        self.last.push_back((self.now, what, datagram.to_vec()));
        if self.last.len() > SHOWN {
            self.last.pop_front();
        }
    }

    /// The last datagrams, one a line.
    pub fn trace(&self) -> String {
        let line = |(time, what, datagram): &(Time, &str, Vec<u8>)| {
            let segment = Segment::of_datagram(datagram, true)?;
            let (header, (source, _)) = (segment.header()?, segment.ends()?);
            Some(format!(
                "{time} {what}, from {source}: seq {} ack {} flags {:#04x} window {} data {} sacks {:?}",
                header.seq.0,
                header.ack.0,
                header.flags,
                header.window,
                header.payload.len(),
                &header.options.sack[..header.options.sacks],
            ))
        };
        let lines = self.last.iter().filter_map(line);
        lines.collect::<Vec<_>>().join("\n")
    }

    fn about(&mut self, now: Time) -> DatagramContext {
        self.index += 1;
        self.now = now;
        DatagramContext {
            time: now,
            index: self.index,
            sizes: true,
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        let faults = self.faults();
        assert!(
            faults.is_empty(),
            "{}: the referee found:\n{}\n{}",
            self.case,
            faults.join("\n"),
            self.trace()
        );
    }
}

/// The IP datagram around a segment.
pub fn datagram(source: IpAddr, destination: IpAddr, segment: &[u8]) -> Vec<u8> {
    match (source, destination) {
        (IpAddr::V4(a), IpAddr::V4(b)) => {
            let [high, low] = (20 + segment.len() as u16).to_be_bytes();
            let mut bytes = alloc::vec![0x45, 0, high, low, 0, 0, 0x40, 0, 64, 6, 0, 0];
            bytes.extend([a.octets(), b.octets()].concat());
            let sum = checksum::of(&bytes);
            bytes[10..12].copy_from_slice(&sum.to_be_bytes());
            [&bytes, segment].concat()
        }
        (IpAddr::V6(a), IpAddr::V6(b)) => {
            let [high, low] = (segment.len() as u16).to_be_bytes();
            let head = [0x60, 0, 0, 0, high, low, 6, 64];
            [&head[..], &a.octets(), &b.octets(), segment].concat()
        }
        _ => Vec::new(),
    }
}
