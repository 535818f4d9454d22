//! The referee, as every test network has it: it sees what each end sends and hears, and fails the
//! test in which an end of ours does what TCP may never do.

use crate::checksum;
use crate::tcp::{Connection, State};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::net::{IpAddr, SocketAddr};
use crafty_referee::{About, Referee, View};
use crafty_value::Time;

/// Sees all that passes between two ends.
#[derive(Debug, Default)]
pub struct Watch {
    referee: Referee,
    index: u64,
    now: Time,
    /// Ends that are not ours, with rules that they are known to break.
    strangers: Vec<(SocketAddr, &'static [&'static str])>,
}

impl Watch {
    /// The end at this address is a stranger's, which is known to break these rules.
    pub fn stranger(&mut self, end: SocketAddr, breaks: &'static [&'static str]) {
        self.strangers.push((end, breaks));
    }

    pub fn sent(&mut self, now: Time, datagram: &[u8]) {
        let about = self.about(now);
        self.referee.sent(about, datagram, View::AtTheEnd);
    }

    pub fn heard(&mut self, now: Time, datagram: &[u8]) {
        let about = self.about(now);
        self.referee.heard(about, datagram, View::AtTheEnd);
    }

    /// Whether this end of ours has something to send, and whether it is there at all.
    pub fn look(&mut self, tcp: &Connection) {
        let ends = (tcp.local(), tcp.remote());
        match tcp.state() {
            State::Closed => self.referee.gone(ends),
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
        let known = |end: SocketAddr, rule| {
            let breaks = |row: &(SocketAddr, &[&str])| row.0 == end && row.1.contains(&rule);
            self.strangers.iter().any(breaks)
        };
        let faults = self.referee.faults().iter();
        faults
            .filter(|fault| !known(fault.ends.0, fault.rule))
            .map(ToString::to_string)
            .collect()
    }

    fn about(&mut self, now: Time) -> About {
        self.index += 1;
        self.now = now;
        About {
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
            "the referee found:\n{}",
            faults.join("\n")
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
