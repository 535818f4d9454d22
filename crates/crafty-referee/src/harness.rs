//! The referee as tests have it: a guard that sees what ends send and hear, and fails the test in
//! which one of them does what TCP may never do. A test cannot forget to ask: the guard asks as it
//! goes away.

use crate::packet::ReferencedSegment;
use crate::{DatagramContext, Referee, VantagePoint, Violation};
use crafty_value::Time;
use std::collections::VecDeque;
use std::fmt::Write;
use std::net::{IpAddr, SocketAddr};

/// Datagrams that the message of a failed test shows.
const SHOWN: usize = 60;

/// What smoltcp 0.14 does that TCP may not, and how.
pub const SMOLTCP_BREAKS: &[(&str, &str)] = &[
    (
        "beyond_window",
        "what goes again does not keep to a window that is small",
    ),
    (
        "fin_beyond_window",
        "the FIN rides on the last byte that fits",
    ),
    (
        "silence",
        "a time-out that has grown stays so through progress, and grows to minutes",
    ),
    (
        "too_much_after_timeout",
        "two segments leave after a time-out",
    ),
];

/// What in a program's text makes it a crafter, and why: its own end may break any rule, since that
/// is what it is for. Its peers may not.
pub const CRAFTS: &[(&str, &str)] = &[
    (
        "TCP(",
        "it builds segments, in the name of an end of the stack or of nobody",
    ),
    ("on out", "it changes or holds what the stack sends"),
    (
        "on linger=0s out",
        "the same, and what is sent as the block ends",
    ),
    ("Raw(", "any bytes, which may be a segment"),
    ("replace", "something else is sent in place of a segment"),
    ("from_pcap", "segments of a recording are sent"),
];

/// Whether a program of this text sends TCP by itself, and how.
pub fn crafts(program: &str) -> Option<&'static str> {
    let row = CRAFTS.iter().find(|(word, _)| program.contains(word))?;
    Some(row.1)
}

/// The IP datagram in an Ethernet frame, behind any VLAN tags.
pub fn datagram_in(frame: &[u8]) -> Option<&[u8]> {
    let mut at = 12;
    loop {
        match frame.get(at..at + 2)? {
            [0x81, 0x00] | [0x88, 0xa8] => at += 4,
            [0x08, 0x00] | [0x86, 0xdd] => return frame.get(at + 2..),
            _ => return None,
        }
    }
}

/// Sees all that ends send and hear, at these ends, and fails the test as it goes away.
#[derive(Debug, Default)]
pub struct TraceGuard {
    referee: Referee,
    index: u64,
    now: Time,
    /// Which case of a test this is, for the message of one that fails.
    case: String,
    /// What passed last, and whether it was sent or heard.
    last: VecDeque<(Time, &'static str, Vec<u8>)>,
    /// Rules that an end is known to break; of any end where no address is given.
    known: Vec<(Option<SocketAddr>, &'static str)>,
    /// Only ends with these addresses are judged; all if there are none.
    only: Vec<IpAddr>,
}

impl TraceGuard {
    /// For this case of a test.
    pub fn of(case: impl Into<String>) -> TraceGuard {
        let mut guard = TraceGuard::default();
        guard.case = case.into();
        guard
    }

    /// This end, or any, is known to break this rule.
    pub fn knows(&mut self, end: Option<SocketAddr>, rule: &'static str) {
        self.known.push((end, rule));
    }

    /// Ends with this address are judged, and no others but those that are named so too.
    pub fn only(&mut self, address: IpAddr) {
        self.only.push(address);
    }

    /// An end sent this IP datagram.
    pub fn sent(&mut self, now: Time, datagram: &[u8]) {
        self.sent_seen(now, datagram, VantagePoint::AtTheEnd);
    }

    /// An end heard this IP datagram.
    pub fn heard(&mut self, now: Time, datagram: &[u8]) {
        self.heard_seen(now, datagram, VantagePoint::AtTheEnd);
    }

    /// An end heard this IP datagram, whose checksum somebody else has checked.
    pub fn heard_checked(&mut self, now: Time, datagram: &[u8]) {
        let about = DatagramContext {
            checksums: false,
            ..self.about(now)
        };
        self.keep("heard", datagram);
        self.referee.heard(about, datagram, VantagePoint::AtTheEnd);
    }

    /// The same, where the sender is seen from elsewhere.
    pub fn sent_seen(&mut self, now: Time, datagram: &[u8], view: VantagePoint) {
        let about = self.about(now);
        self.keep("sent", datagram);
        self.referee.sent(about, datagram, view);
    }

    /// The same, where the receiver is seen from elsewhere.
    pub fn heard_seen(&mut self, now: Time, datagram: &[u8], view: VantagePoint) {
        let about = self.about(now);
        self.keep("heard", datagram);
        self.referee.heard(about, datagram, view);
    }

    /// The first of these ends learns a path MTU.
    pub fn told(&mut self, now: Time, ends: (SocketAddr, SocketAddr), mtu: u32) {
        let about = self.about(now);
        self.referee.told_path_mtu(about, ends, mtu);
    }

    /// See [`Referee::crafted`].
    pub fn crafted(&mut self, ends: (SocketAddr, SocketAddr), seq_end: u32) {
        self.referee.crafted(ends, seq_end);
    }

    /// See [`Referee::wants`].
    pub fn wants(&mut self, ends: (SocketAddr, SocketAddr), data: bool) {
        self.referee.wants(ends, data);
    }

    /// See [`Referee::gone`].
    pub fn gone(&mut self, ends: (SocketAddr, SocketAddr)) {
        self.referee.gone(ends);
    }

    /// The trace continues until then.
    pub fn until(&mut self, now: Time) {
        self.now = self.now.max(now);
    }

    /// What was found up to now that is not known.
    pub fn faults(&mut self) -> Vec<String> {
        self.referee.until(self.now);
        self.unexpected().map(ToString::to_string).collect()
    }

    /// The last datagrams up to the first fault, one a line.
    pub fn trace(&self) -> String {
        let mut lines = String::new();
        for (time, what, datagram) in &self.last {
            let about = DatagramContext {
                time: *time,
                index: 0,
                sizes: true,
                checksums: true,
            };
            let Some(packet) = ReferencedSegment::parse(datagram, about) else {
                continue;
            };
            let _ = writeln!(
                lines,
                "{} {what}, from {}: seq {} ack {} flags {:#04x} window {} data {} sacks {:?}",
                time.since(Time(0)),
                packet.source,
                packet.seq,
                packet.ack,
                packet.flags,
                packet.window,
                packet.data,
                packet.sacks,
            );
        }
        lines
    }

    fn unexpected(&self) -> impl Iterator<Item = &Violation> {
        let judged =
            |fault: &&Violation| self.only.is_empty() || self.only.contains(&fault.ends.0.ip());
        let known = |fault: &&Violation| {
            let mut rows = self.known.iter();
            rows.any(|(end, rule)| end.is_none_or(|end| end == fault.ends.0) && *rule == fault.rule)
        };
        let faults = self.referee.faults().iter();
        faults.filter(judged).filter(move |fault| !known(fault))
    }

    fn keep(&mut self, what: &'static str, datagram: &[u8]) {
        if self.unexpected().next().is_some() {
            return;
        }
        self.last.push_back((self.now, what, datagram.to_vec()));
        if self.last.len() > SHOWN {
            self.last.pop_front();
        }
    }

    fn about(&mut self, now: Time) -> DatagramContext {
        self.index += 1;
        self.now = now;
        DatagramContext {
            time: now,
            index: self.index,
            sizes: true,
            checksums: true,
        }
    }
}

impl Drop for TraceGuard {
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
