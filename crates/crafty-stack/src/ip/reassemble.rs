//! Puts datagrams together from their fragments (RFC 791 §3.2, RFC 8200 §4.5), in bounded memory.
//!
//! Fragments that overlap spoil their datagram in both families: RFC 5722 asks it of IPv6, and for
//! IPv4 it is the one rule under which no two hosts can read different bytes. An exact repetition
//! of a fragment is passed over.

use super::{Datagram, FragmentOffset};
use crate::checksum;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::net::IpAddr;
use crafty_value::{Duration, Time};

/// How long a datagram waits for its fragments, by family (RFC 1122 §3.3.2 allows 60 s to 120 s,
/// most hosts take 30 s; RFC 8200 §4.5).
pub const TIMEOUT_V4: Duration = Duration::seconds(30);
/// See [`TIMEOUT_V4`].
pub const TIMEOUT_V6: Duration = Duration::seconds(60);
/// Datagrams under way at most; the oldest makes room.
pub const MAX_DATAGRAMS: usize = 64;
/// Bytes held at most; the oldest makes room.
pub const MAX_BYTES: usize = 1 << 20;
/// Fragments of one datagram at most.
pub const MAX_FRAGMENTS: usize = 256;
/// The largest datagram of either family.
const MAX_PAYLOAD: usize = 65_535;

/// A datagram as it was before it was cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reassembled {
    /// The whole datagram; lengths, and the checksum of an IPv4 header, are those of the whole.
    pub octets: Vec<u8>,
    /// How many fragments it came in.
    pub fragments: usize,
}

/// What became of fragments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReassemblyCounters {
    /// Fragments received.
    pub fragments_in: u64,
    /// Datagrams put together.
    pub reassembled: u64,
    /// Datagrams given up because fragments did not come in time.
    pub timeouts: u64,
    /// Datagrams dropped because fragments overlapped.
    pub overlaps: u64,
    /// Datagrams dropped to make room.
    pub evicted: u64,
    /// Fragments dropped because their place or length made no sense.
    pub malformed: u64,
}

/// The fragments that wait for their fellows.
#[derive(Clone, Debug, Default)]
pub struct Reassembler {
    partial: BTreeMap<FragmentGroupKey, PartialDatagram>,
    octets: usize,
    /// What became of fragments so far.
    pub counters: ReassemblyCounters,
}

/// Fragments with these in common belong together; in IPv6 the protocol does not count.
type FragmentGroupKey = (IpAddr, IpAddr, u32, u8);

#[derive(Clone, Debug, Default)]
struct PartialDatagram {
    since: Time,
    header: Vec<u8>,
    next_at: usize,
    next: u8,
    pieces: BTreeMap<usize, Vec<u8>>,
    octets: usize,
    total: Option<usize>,
    /// Overlaps were seen; what still comes is dropped (RFC 5722 §4).
    spoilt: bool,
}

impl Reassembler {
    /// Nothing waits.
    pub fn new() -> Reassembler {
        Reassembler::default()
    }

    /// Takes a fragment (an IP datagram without link header); gives the datagram that it completes.
    /// What is not a fragment is ignored: ask [`Datagram::piece`] first.
    pub fn handle_fragment(&mut self, now: Time, octets: &[u8]) -> Option<Reassembled> {
        let fragment = Datagram::parse(octets)?;
        let piece = fragment.piece?;
        self.counters.fragments_in += 1;
        self.handle_timeout(now);
        if !sane(&fragment, piece) {
            self.counters.malformed += 1;
            return None;
        }
        let key = key(&fragment, piece);
        self.make_room(&key, fragment.payload.len());
        let partial = self.partial.entry(key).or_insert_with(|| PartialDatagram {
            since: now,
            ..PartialDatagram::default()
        });
        let before = partial.octets;
        let fresh = !partial.spoilt;
        partial.take(octets, &fragment, piece);
        self.octets = self.octets + partial.octets - before;
        self.counters.overlaps += u64::from(fresh && partial.spoilt);
        let whole = partial.whole()?;
        self.forget(&key);
        self.counters.reassembled += 1;
        Some(whole)
    }

    /// When the next datagram is given up.
    pub fn poll_timeout(&self) -> Option<Time> {
        self.partial
            .iter()
            .map(|(key, partial)| partial.until(key))
            .min()
    }

    /// Gives up what waited too long.
    pub fn handle_timeout(&mut self, now: Time) {
        while let Some(key) = self
            .partial
            .iter()
            .find(|(key, p)| p.until(key) <= now)
            .map(|(key, _)| *key)
        {
            self.counters.timeouts += u64::from(self.partial.get(&key).is_some_and(|p| !p.spoilt));
            self.forget(&key);
        }
    }

    /// Bytes that are held now.
    pub fn held(&self) -> usize {
        self.octets
    }

    #[cfg(test)]
    pub(super) fn partial_count(&self) -> usize {
        self.partial.len()
    }

    fn make_room(&mut self, key: &FragmentGroupKey, octets: usize) {
        while (self.partial.len() >= MAX_DATAGRAMS && !self.partial.contains_key(key))
            || self.octets + octets > MAX_BYTES
        {
            let oldest = self
                .partial
                .iter()
                .min_by_key(|(_, p)| p.since)
                .map(|(key, _)| *key);
            let Some(oldest) = oldest else { return };
            self.forget(&oldest);
            self.counters.evicted += 1;
        }
    }

    fn forget(&mut self, key: &FragmentGroupKey) {
        self.octets -= self.partial.remove(key).map_or(0, |p| p.octets);
    }
}

impl PartialDatagram {
    fn until(&self, key: &FragmentGroupKey) -> Time {
        self.since.after(if key.0.is_ipv4() {
            TIMEOUT_V4
        } else {
            TIMEOUT_V6
        })
    }

    fn take(&mut self, octets: &[u8], fragment: &Datagram<'_>, piece: FragmentOffset) {
        let (start, end) = (piece.offset, piece.offset + fragment.payload.len());
        if self.spoilt
            || self
                .pieces
                .get(&start)
                .is_some_and(|known| known == fragment.payload)
        {
            return;
        }
        let ends_wrong = self
            .total
            .is_some_and(|total| end > total || !piece.more && end != total);
        if self.overlaps(start, end) || ends_wrong || self.pieces.len() >= MAX_FRAGMENTS {
            *self = PartialDatagram {
                since: self.since,
                spoilt: true,
                ..PartialDatagram::default()
            };
            return;
        }
        if !piece.more {
            self.total = Some(end);
        }
        if start == 0 {
            self.header = octets[..fragment.header_len].to_vec();
            self.next_at = fragment.next_at;
            self.next = fragment.protocol;
        }
        self.octets += fragment.payload.len();
        self.pieces.insert(start, fragment.payload.to_vec());
    }

    fn overlaps(&self, start: usize, end: usize) -> bool {
        let before = self
            .pieces
            .range(..start)
            .next_back()
            .is_some_and(|(at, p)| at + p.len() > start);
        before || self.pieces.range(start..end).next().is_some()
    }

    fn whole(&self) -> Option<Reassembled> {
        if self.total? != self.octets || self.header.is_empty() {
            return None;
        }
        let mut octets = self.header.clone();
        octets.reserve(self.octets);
        for piece in self.pieces.values() {
            octets.extend_from_slice(piece);
        }
        match octets[0] >> 4 {
            4 => finish_v4(&mut octets, self.header.len()),
            _ => finish_v6(&mut octets, self.next_at, self.next)?,
        }
        Some(Reassembled {
            octets,
            fragments: self.pieces.len(),
        })
    }
}

/// All but the last end on a unit of 8 bytes; none is empty or reaches beyond the largest datagram.
fn sane(fragment: &Datagram<'_>, piece: FragmentOffset) -> bool {
    let len = fragment.payload.len();
    let units = !piece.more || len.is_multiple_of(8);
    // An IPv6 fragment that is the whole (RFC 6946) may be empty, others not.
    let empty = len == 0 && (piece.more || piece.offset > 0 || fragment.source.is_ipv4());
    !fragment.cut && units && !empty && fragment.header_len + piece.offset + len <= MAX_PAYLOAD
}

fn key(fragment: &Datagram<'_>, piece: FragmentOffset) -> FragmentGroupKey {
    let protocol = if fragment.source.is_ipv4() {
        fragment.protocol
    } else {
        0
    };
    (fragment.source, fragment.destination, piece.id, protocol)
}

fn finish_v4(octets: &mut [u8], header_len: usize) {
    let total = octets.len() as u16;
    octets[2..4].copy_from_slice(&total.to_be_bytes());
    octets[6] &= 0xc0;
    octets[7] = 0;
    octets[10..12].fill(0);
    let sum = checksum::of(&octets[..header_len]);
    octets[10..12].copy_from_slice(&sum.to_be_bytes());
}

fn finish_v6(octets: &mut [u8], next_at: usize, next: u8) -> Option<()> {
    *octets.get_mut(next_at)? = next;
    let len = u16::try_from(octets.len() - 40).ok()?;
    octets[4..6].copy_from_slice(&len.to_be_bytes());
    Some(())
}
