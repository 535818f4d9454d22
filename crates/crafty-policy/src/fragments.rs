//! Datagrams that left as hand-made fragments: which bytes of each are out. Bounded; what is
//! forgotten is refused.
//!
//! Which of two bytes at the same place a host keeps is its own affair (RFC 5722 §3, and what hosts
//! do in fact). So where fragments overlap, each must say the same about what decides on a permission:
//! then every datagram that any host can make of them is the one that was judged.

use crate::frame::{FragmentRange, IpPacket, TransportHeader};
use alloc::collections::VecDeque;
use core::net::IpAddr;

/// Datagrams remembered; the oldest goes first.
const DATAGRAMS: usize = 64;

/// Gaps and pieces of one datagram remembered.
const PIECES: usize = 32;

/// Bytes at the front of a datagram that can decide on a permission: the longest transport header
/// and, behind a shorter one, what opens a connection or what an error quotes.
const DECISIVE: usize = 128;

/// Bytes of the longest transport header (TCP's, RFC 9293 §3.1).
const LONGEST_HEADER: usize = 60;

/// Largest datagram (RFC 791 §3.1).
const LARGEST: usize = 65_535;

/// The fragments of a run.
#[derive(Default)]
pub(crate) struct Fragments {
    datagrams: VecDeque<FragmentedDatagram>,
}

struct FragmentedDatagram {
    key: FragmentKey,
    /// Where the datagram ends, once the last fragment is out.
    end: Option<usize>,
    pieces: [(usize, usize); PIECES],
    count: usize,
    /// The first bytes, as far as they were sent without a gap.
    front: [u8; DECISIVE],
    known: usize,
    /// What decides in them, if that can be told; else nothing may overlap.
    decides: Option<Decides>,
    overlaps: bool,
}

/// Which bytes at the front of a datagram decide on a permission or a charge.
#[derive(Clone, Copy)]
struct Decides {
    /// The transport protocol.
    protocol: u8,
    /// Bytes of extension headers before the transport header. They decide all.
    before: usize,
    /// Which bytes of the transport header and of what is behind it.
    transport: fn(usize) -> bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct FragmentKey {
    source: IpAddr,
    destination: IpAddr,
    id: u32,
    protocol: u8,
}

impl Fragments {
    /// Why this fragment may not follow those that left before; `None` if it may. `overlaps` says
    /// whether it may cover what another has covered.
    pub fn refuses(
        &self,
        packet: &IpPacket,
        fragment: &FragmentRange,
        overlaps: bool,
    ) -> Option<&'static str> {
        let (from, to) = span(packet, fragment);
        let known = self
            .datagrams
            .iter()
            .find(|datagram| datagram.key == key(packet, fragment));
        if fragment.more && (to - from) % 8 != 0 || to > LARGEST || from == to {
            return Some("its length is inconsistent");
        }
        match known {
            None if from > 0 => Some("the first fragment of its datagram was not sent before it"),
            None => (!holds_header(packet))
                .then_some("the first fragment does not hold the whole transport header"),
            Some(datagram) if overlaps => datagram
                .contradicts(packet, fragment)
                .or_else(|| datagram.is_full(from, to)),
            Some(datagram) => datagram.refuses(from, to, fragment.more),
        }
    }

    /// Takes note of a fragment that leaves.
    pub fn sent(&mut self, packet: &IpPacket, fragment: &FragmentRange) {
        let (key, (from, to)) = (key(packet, fragment), span(packet, fragment));
        if !self.datagrams.iter().any(|datagram| datagram.key == key) {
            if self.datagrams.len() == DATAGRAMS {
                self.datagrams.pop_front();
            }
            self.datagrams.push_back(FragmentedDatagram {
                key,
                end: None,
                pieces: [(0, 0); PIECES],
                count: 0,
                front: [0; DECISIVE],
                known: 0,
                decides: Decides::of(packet, fragment),
                overlaps: false,
            });
        }
        let Some(at) = self
            .datagrams
            .iter()
            .position(|datagram| datagram.key == key)
        else {
            return;
        };
        let datagram = &mut self.datagrams[at];
        datagram.remember(from, contents(packet, fragment));
        datagram.overlaps |= datagram.covers(from, to);
        datagram.add(from, to);
        if !fragment.more {
            datagram.end = Some(to);
        }
        // Of one whose fragments overlap, more may follow.
        if datagram.is_complete() && !datagram.overlaps {
            self.datagrams.remove(at);
        }
    }
}

impl FragmentedDatagram {
    fn refuses(&self, from: usize, to: usize, more: bool) -> Option<&'static str> {
        if self.covers(from, to) {
            return Some(
                "it overlaps a fragment that was already sent, which needs the power `malformed` as well",
            );
        }
        let highest = self.pieces[..self.count]
            .iter()
            .map(|&(_, end)| end)
            .max()
            .unwrap_or(0);
        match self.end {
            Some(end) if to > end || !more => Some("it starts after the last fragment"),
            None if !more && to < highest => {
                Some("it ends the datagram before a fragment that was already sent")
            }
            _ => self.is_full(from, to),
        }
    }

    fn is_full(&self, from: usize, to: usize) -> Option<&'static str> {
        (self.count == PIECES && !self.touches(from, to))
            .then_some("the datagram has too many fragments")
    }

    /// Whether a fragment covers what another has, and says something else about what decides.
    fn contradicts(&self, packet: &IpPacket, fragment: &FragmentRange) -> Option<&'static str> {
        let (from, to) = span(packet, fragment);
        if !self.covers(from, to) {
            return None;
        }
        let Some(decides) = self.decides else {
            return Some("it overlaps fields that decide whether the packet is permitted");
        };
        let differs = |(at, byte): (usize, &u8)| {
            decides.at(at)
                && self.covers(at, at + 1)
                && (at >= self.known || self.front[at] != *byte)
        };
        let other_protocol = from == 0 && packet.protocol != decides.protocol;
        let front = (from..DECISIVE).zip(contents(packet, fragment));
        (other_protocol || front.into_iter().any(differs)).then_some(
            "it overlaps a fragment that was already sent and differs in ports, flags or type",
        )
    }

    /// Keeps what a fragment says about the front of the datagram.
    fn remember(&mut self, from: usize, contents: &[u8]) {
        if from > self.known {
            return;
        }
        let new = self.known - from;
        let front = self.front[self.known..].iter_mut();
        let taken = front
            .zip(contents.get(new..).unwrap_or(&[]))
            .map(|(to, byte)| *to = *byte)
            .count();
        self.known += taken;
    }

    fn covers(&self, from: usize, to: usize) -> bool {
        self.pieces[..self.count]
            .iter()
            .any(|&(start, end)| from < end && start < to)
    }

    fn touches(&self, from: usize, to: usize) -> bool {
        self.pieces[..self.count]
            .iter()
            .any(|&(start, end)| end >= from && start <= to)
    }

    /// Adds a piece, joined with those that it touches.
    fn add(&mut self, mut from: usize, mut to: usize) {
        let mut at = 0;
        while at < self.count {
            let (start, end) = self.pieces[at];
            if end >= from && start <= to {
                (from, to) = (from.min(start), to.max(end));
                self.count -= 1;
                self.pieces[at] = self.pieces[self.count];
                at = 0;
            } else {
                at += 1;
            }
        }
        if let Some(slot) = self.pieces.get_mut(self.count) {
            *slot = (from, to);
            self.count += 1;
        }
    }

    fn is_complete(&self) -> bool {
        self.count == 1 && self.pieces[0].0 == 0 && self.end == Some(self.pieces[0].1)
    }
}

fn key(packet: &IpPacket, fragment: &FragmentRange) -> FragmentKey {
    // RFC 8200 §4.5: IPv6 identifies by addresses and identification alone.
    let protocol = if packet.is_v6() { 0 } else { packet.protocol };
    FragmentKey {
        source: packet.source,
        destination: packet.destination,
        id: fragment.id,
        protocol,
    }
}

/// Where in the fragmentable part the bytes are that a fragment holds.
fn span(packet: &IpPacket, fragment: &FragmentRange) -> (usize, usize) {
    (
        fragment.offset,
        fragment.offset + contents(packet, fragment).len(),
    )
}

/// The bytes of the fragmentable part that a fragment holds.
fn contents<'a>(packet: &IpPacket<'a>, fragment: &FragmentRange) -> &'a [u8] {
    let before = fragment.unfragmentable + if packet.is_v6() { 8 } else { 0 };
    packet.octets.get(before..).unwrap_or(&[])
}

impl Decides {
    /// Of a first fragment. Ports, data offset and flags of TCP; of UDP the ports and the front of
    /// what it carries, which may open a connection; type, code and identifier of an echo. Other
    /// ICMP is judged by what it holds, so that nothing of it may change.
    fn of(packet: &IpPacket, fragment: &FragmentRange) -> Option<Decides> {
        let transport: fn(usize) -> bool = match packet.transport {
            TransportHeader::Tcp { .. } => |at| matches!(at, 0..4 | 12..14),
            TransportHeader::Udp { .. } => |at| !matches!(at, 4..8),
            TransportHeader::Icmp { kind, .. } if is_echo(packet, kind) => {
                |at| matches!(at, 0..2 | 4..6)
            }
            _ => return None,
        };
        let before = contents(packet, fragment).len() - packet.body.len();
        (before + LONGEST_HEADER <= DECISIVE).then_some(Decides {
            protocol: packet.protocol,
            before,
            transport,
        })
    }

    fn at(&self, place: usize) -> bool {
        place
            .checked_sub(self.before)
            .is_none_or(|place| (self.transport)(place))
    }
}

/// RFC 792, RFC 4443 §4: request and reply.
fn is_echo(packet: &IpPacket, kind: u8) -> bool {
    let kinds: [u8; 2] = if packet.is_v6() { [128, 129] } else { [8, 0] };
    kinds.contains(&kind)
}

/// Whether a first fragment holds the transport header whole. Since later ones never overlap it,
/// nothing changes that header.
fn holds_header(packet: &IpPacket) -> bool {
    let len = match packet.transport {
        TransportHeader::Tcp { .. } => packet
            .body
            .get(12)
            .map(|octet| usize::from(octet >> 4).max(5) * 4),
        TransportHeader::Udp { .. } | TransportHeader::Icmp { .. } => Some(8),
        TransportHeader::Other | TransportHeader::Hidden => None,
    };
    len.is_some_and(|len| len <= packet.body.len())
}
