//! Datagrams that left as fragments made by hand: which bytes of each are out. Bounded; what is
//! forgotten is refused.

use crate::frame::{Fragment, Packet, Transport};
use alloc::collections::VecDeque;
use core::net::IpAddr;

/// Datagrams remembered; the oldest goes first.
const DATAGRAMS: usize = 64;

/// Gaps and pieces of one datagram remembered.
const PIECES: usize = 32;

/// Largest datagram (RFC 791 §3.1).
const LARGEST: usize = 65_535;

/// The fragments of a run.
#[derive(Default)]
pub(crate) struct Fragments {
    datagrams: VecDeque<Datagram>,
}

struct Datagram {
    key: Key,
    /// Where the datagram ends, once the last fragment is out.
    end: Option<usize>,
    pieces: [(usize, usize); PIECES],
    count: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    source: IpAddr,
    destination: IpAddr,
    id: u32,
    protocol: u8,
}

impl Fragments {
    /// Why this fragment may not follow those that left before; `None` if it may.
    pub fn refuses(&self, packet: &Packet, fragment: &Fragment) -> Option<&'static str> {
        let (from, to) = span(packet, fragment);
        let known = self
            .datagrams
            .iter()
            .find(|datagram| datagram.key == key(packet, fragment));
        if fragment.more && (to - from) % 8 != 0 || to > LARGEST || from == to {
            return Some("its length does not fit");
        }
        match known {
            None if from > 0 => Some("its first fragment was not sent before"),
            None => (!holds_header(packet))
                .then_some("the first fragment does not hold the whole transport header"),
            Some(datagram) => datagram.refuses(from, to, fragment.more),
        }
    }

    /// Takes note of a fragment that leaves.
    pub fn sent(&mut self, packet: &Packet, fragment: &Fragment) {
        let (key, (from, to)) = (key(packet, fragment), span(packet, fragment));
        if !self.datagrams.iter().any(|datagram| datagram.key == key) {
            if self.datagrams.len() == DATAGRAMS {
                self.datagrams.pop_front();
            }
            self.datagrams.push_back(Datagram {
                key,
                end: None,
                pieces: [(0, 0); PIECES],
                count: 0,
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
        datagram.add(from, to);
        if !fragment.more {
            datagram.end = Some(to);
        }
        if datagram.is_complete() {
            self.datagrams.remove(at);
        }
    }
}

impl Datagram {
    fn refuses(&self, from: usize, to: usize, more: bool) -> Option<&'static str> {
        let pieces = &self.pieces[..self.count];
        if pieces.iter().any(|&(start, end)| from < end && start < to) {
            return Some("it overlaps one that was sent");
        }
        let highest = pieces.iter().map(|&(_, end)| end).max().unwrap_or(0);
        match self.end {
            Some(end) if to > end || !more => Some("it lies beyond the last fragment"),
            None if !more && to < highest => Some("a last fragment lies before one that was sent"),
            _ => (self.count == PIECES && !self.touches(from, to))
                .then_some("the datagram has too many pieces"),
        }
    }

    fn touches(&self, from: usize, to: usize) -> bool {
        self.pieces[..self.count]
            .iter()
            .any(|&(start, end)| end == from || start == to)
    }

    /// Adds a piece, joined with those that it touches.
    fn add(&mut self, mut from: usize, mut to: usize) {
        let mut at = 0;
        while at < self.count {
            let (start, end) = self.pieces[at];
            if end == from || start == to {
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

fn key(packet: &Packet, fragment: &Fragment) -> Key {
    // RFC 8200 §4.5: IPv6 identifies by addresses and identification alone.
    let protocol = if packet.is_v6() { 0 } else { packet.protocol };
    Key {
        source: packet.source,
        destination: packet.destination,
        id: fragment.id,
        protocol,
    }
}

/// The bytes of the fragmentable part that a fragment holds.
fn span(packet: &Packet, fragment: &Fragment) -> (usize, usize) {
    let before = fragment.unfragmentable + if packet.is_v6() { 8 } else { 0 };
    (
        fragment.offset,
        fragment.offset + packet.octets.len().saturating_sub(before),
    )
}

/// Whether a first fragment holds the transport header whole. Since later ones never overlap it,
/// nothing changes that header.
fn holds_header(packet: &Packet) -> bool {
    let len = match packet.transport {
        Transport::Tcp { .. } => packet
            .body
            .get(12)
            .map(|octet| usize::from(octet >> 4).max(5) * 4),
        Transport::Udp { .. } | Transport::Icmp { .. } => Some(8),
        Transport::Other | Transport::Hidden => None,
    };
    len.is_some_and(|len| len <= packet.body.len())
}
