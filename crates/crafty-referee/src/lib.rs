//! A referee for TCP: reads a trace and reports violations of TCP's rules, with the RFC. It shares
//! no code with the stack that it judges, and has no clock, socket or file: datagrams and their
//! times are arguments.
//!
//! Each end is judged separately, from what it sent and what it received. A rule never needs to
//! know what an end *did* receive: it compares what the end sent with the most that the end *can*
//! have received. So the verdict is sound wherever the trace was taken. A trace from the end itself
//! ([`VantagePoint::AtTheEnd`]) shows more: order, silence, and packets that never arrived.
#![forbid(unsafe_code)]

mod end;
pub mod harness;
mod packet;
mod rules;
mod space;

#[cfg(test)]
mod tests;

pub use rules::{TcpRule, rules};

use crafty_value::Time;
use end::EndpointState;
use packet::{ReferencedSegment, TooBig, fragment_of_tcp};
use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, SocketAddr};

/// Connections that are judged at the same time; what begins later is not judged, and counted.
pub const MAX_FLOWS: usize = 16_384;

/// Where a trace shows an end from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VantagePoint {
    /// At the end itself, in the order in which it sent and heard.
    AtTheEnd,
    /// From elsewhere: what it sent may have been lost before, and what it hears may be lost
    /// behind.
    FromAfar,
}

/// What the caller knows of a datagram beside its bytes.
#[derive(Clone, Copy, Debug)]
pub struct DatagramContext {
    /// When.
    pub time: Time,
    /// Its number in the trace.
    pub index: u64,
    /// Whether its size is that on the wire: not so where an adapter cuts or joins segments.
    pub sizes: bool,
    /// Whether its checksum is to be right: not so where an adapter has checked it and left it as it
    /// is. One that is left to an adapter to write is known by its value.
    pub checksums: bool,
}

/// Something that TCP may never do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule that was broken, a row of [`rules`].
    pub rule: &'static str,
    /// RFC and section.
    pub source: &'static str,
    /// What was done, in one sentence.
    pub sentence: String,
    /// The end that did it, and its peer.
    pub ends: (SocketAddr, SocketAddr),
    /// Where the trace shows that end from.
    pub view: VantagePoint,
    /// When it was seen for the first time.
    pub time: Time,
    /// Number of the first datagram that shows it.
    pub index: u64,
    /// How often it was seen.
    pub count: u64,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} ({}): {} to {}: {}; first in packet {} at {}, seen {} times",
            self.rule,
            self.source,
            self.ends.0,
            self.ends.1,
            self.sentence,
            self.index,
            self.time.since(Time(0)),
            self.count
        )
    }
}

/// Judges every connection of a trace.
#[derive(Debug, Default)]
pub struct Referee {
    ends: BTreeMap<(SocketAddr, SocketAddr), EndpointState>,
    faults: Vec<Violation>,
    ignored: u64,
    may_lack: bool,
}

impl Referee {
    /// One that has seen nothing.
    pub fn new() -> Referee {
        Referee::default()
    }

    /// One for a trace that may lack packets, as captures of a busy link do. Where a distant end
    /// acknowledges what the trace never had, that is the reason, and no fault: the verdict on this
    /// connection ends there, and that is counted.
    pub fn of_capture() -> Referee {
        Referee {
            may_lack: true,
            ..Referee::default()
        }
    }

    /// The end that sent this IP datagram is judged by it.
    pub fn sent(&mut self, about: DatagramContext, datagram: &[u8], view: VantagePoint) {
        let Some(packet) = ReferencedSegment::parse(datagram, about) else {
            return;
        };
        let ends = (packet.source, packet.destination);
        let lacks = |end: &EndpointState| end.acknowledges_unseen(&packet);
        if self.may_lack && self.ends.get(&ends).is_some_and(lacks) {
            self.ignored += 1;
            for ends in [ends, (ends.1, ends.0)] {
                self.ends.entry(ends).and_modify(|end| end.cut = true);
            }
            return;
        }
        self.end(ends, view, |end, faults| end.sent(about, &packet, faults));
    }

    /// The end that this IP datagram is for has heard it, or may have. Reads ICMP errors that tell
    /// a path MTU too.
    pub fn heard(&mut self, about: DatagramContext, datagram: &[u8], view: VantagePoint) {
        if let Some(told) = TooBig::parse(datagram) {
            return self.told_path_mtu(about, told.ends, told.mtu);
        }
        if let Some(hosts) = fragment_of_tcp(datagram) {
            return self.overlook(hosts.1, hosts.0);
        }
        if let Some(packet) = ReferencedSegment::parse(datagram, about) {
            self.end((packet.destination, packet.source), view, |end, faults| {
                end.heard(about, &packet, faults);
            });
        }
    }

    /// Fragments are not put together: what an end has heard is not known from here on, and its
    /// connections with that host are judged no more.
    fn overlook(&mut self, own: IpAddr, peer: IpAddr) {
        self.ignored += 1;
        let ends = self.ends.iter_mut();
        ends.filter(|((near, far), _)| (near.ip(), far.ip()) == (own, peer))
            .for_each(|(_, end)| end.cut = true);
    }

    /// A datagram passed the place of the trace: judges the sender, and tells the receiver.
    pub fn passed(
        &mut self,
        about: DatagramContext,
        datagram: &[u8],
        sender: VantagePoint,
        receiver: VantagePoint,
    ) {
        self.sent(about, datagram, sender);
        self.heard(about, datagram, receiver);
    }

    /// The end (the first of `ends`) has learnt that its path takes no larger IP datagrams.
    pub fn told_path_mtu(
        &mut self,
        about: DatagramContext,
        ends: (SocketAddr, SocketAddr),
        mtu: u32,
    ) {
        if let Some(end) = self.ends.get_mut(&ends) {
            end.told_path_mtu(about, mtu);
        }
    }

    /// Somebody else sends in the name of this end (a program that crafts segments): its sequence
    /// numbers up to `seq_end` count as sent.
    pub fn crafted(&mut self, ends: (SocketAddr, SocketAddr), seq_end: u32) {
        if let Some(end) = self.ends.get_mut(&ends) {
            end.crafted(seq_end);
        }
    }

    /// The owner of this end wants data sent, or not any more: silence is judged by it. Without
    /// this, the end is believed when its last segment asks for a push (RFC 9293 §3.9.1).
    pub fn wants(&mut self, ends: (SocketAddr, SocketAddr), data: bool) {
        if let Some(end) = self.ends.get_mut(&ends) {
            end.wants(data);
        }
    }

    /// This end is no more: its silence is not a fault.
    pub fn gone(&mut self, ends: (SocketAddr, SocketAddr)) {
        self.ends.remove(&ends);
    }

    /// The trace continues until `time`: what should have happened by then is missed now.
    pub fn until(&mut self, time: Time) {
        for end in self.ends.values_mut() {
            end.until(time, &mut self.faults);
        }
    }

    /// What was found, each rule once an end.
    pub fn faults(&self) -> &[Violation] {
        &self.faults
    }

    /// Datagrams that were not judged: of connections beyond [`MAX_FLOWS`], and those with which the
    /// verdict on their connection ends (fragments, and see [`Referee::of_capture`]).
    pub fn ignored(&self) -> u64 {
        self.ignored
    }

    fn end(
        &mut self,
        ends: (SocketAddr, SocketAddr),
        view: VantagePoint,
        act: impl FnOnce(&mut EndpointState, &mut Vec<Violation>),
    ) {
        if self.ends.len() >= 2 * MAX_FLOWS && !self.ends.contains_key(&ends) {
            self.ignored += 1;
            return;
        }
        let end = self
            .ends
            .entry(ends)
            .or_insert_with(|| EndpointState::new(ends, view));
        act(end, &mut self.faults);
    }
}
