//! The referee, as every test network has it: it sees what each end sends and hears, and fails the
//! test in which an end of ours does what TCP may never do.

use crate::checksum;
use crate::tcp::{Connection, TcpState};
use alloc::string::String;
use alloc::vec::Vec;
use core::net::{IpAddr, SocketAddr};
use crafty_referee::harness::TraceGuard;
use crafty_value::Time;

/// Sees all that passes between two ends.
#[derive(Debug, Default)]
pub struct Watch(TraceGuard);

impl Watch {
    /// For this case of a test.
    pub fn of(case: String) -> Watch {
        Watch(TraceGuard::of(case))
    }

    /// The end at this address is known to break this rule.
    pub fn knows(&mut self, end: SocketAddr, rule: &'static str) {
        self.0.knows(Some(end), rule);
    }

    pub fn sent(&mut self, now: Time, datagram: &[u8]) {
        self.0.sent(now, datagram);
    }

    pub fn heard(&mut self, now: Time, datagram: &[u8]) {
        self.0.heard(now, datagram);
    }

    /// Whether this end of ours has something to send, and whether it is there at all.
    pub fn look(&mut self, tcp: &Connection) {
        match tcp.state() {
            TcpState::Closed => self.0.gone(ends(tcp)),
            _ => self.0.wants(ends(tcp), tcp.unsent() > 0),
        }
    }

    /// What was between these ends of ours is forgotten.
    pub fn gone(&mut self, tcp: &Connection) {
        self.0.gone(ends(tcp));
    }

    /// The first of these ends learns a path MTU.
    pub fn told(&mut self, now: Time, ends: (SocketAddr, SocketAddr), mtu: u32) {
        self.0.told(now, ends, mtu);
    }

    /// A program sends in the name of this end, up to this number.
    pub fn crafted(&mut self, tcp: &Connection, seq_end: u32) {
        self.0.crafted(ends(tcp), seq_end);
    }

    /// What was found up to now, except for what strangers are known for.
    pub fn faults(&mut self) -> Vec<String> {
        self.0.faults()
    }

    /// The last datagrams, one a line.
    pub fn trace(&self) -> String {
        self.0.trace()
    }
}

fn ends(tcp: &Connection) -> (SocketAddr, SocketAddr) {
    (tcp.local(), tcp.remote())
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
