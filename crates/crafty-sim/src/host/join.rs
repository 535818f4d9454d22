//! Joins fragments of IPv6 (RFC 8200 §4.5); those of IPv4 smoltcp joins itself. Only Fragment
//! headers right behind the fixed header; no time exceeded is said for what stays incomplete.

use crate::packet::{ETHERNET, octets, u16_at};
use crafty_value::{Duration, Time};
use std::collections::BTreeMap;

/// Next header of a fragment.
pub(super) const FRAGMENT: u8 = 44;
/// Time for which fragments wait for the others (RFC 8200 §4.5).
const PATIENCE: Duration = Duration::seconds(60);
/// Datagrams that are joined at a time.
const DATAGRAMS: usize = 16;
/// Most bytes behind the fixed header.
const LONGEST: usize = 65_535;

/// Datagrams of which fragments have come, by addresses and identification.
#[derive(Default)]
pub(crate) struct Joiner(BTreeMap<([u8; 32], u32), Parts>);

struct Parts {
    since: Time,
    /// Ethernet and fixed header of the first fragment, with the next header that follows it.
    front: Option<(Vec<u8>, u8)>,
    pieces: BTreeMap<usize, Vec<u8>>,
    total: Option<usize>,
    /// Overlapped: all of it is thrown away until its time is over (RFC 5722 §4).
    spoiled: bool,
}

impl Joiner {
    /// Takes a frame: gives back what is not a fragment, and a whole datagram when its last
    /// fragment has come.
    pub fn take(&mut self, now: Time, frame: Vec<u8>) -> Option<Vec<u8>> {
        let Some(fragment) = Fragment::read(&frame) else {
            return Some(frame);
        };
        self.0.retain(|_, parts| now.since(parts.since) < PATIENCE);
        if self.0.len() >= DATAGRAMS && !self.0.contains_key(&fragment.key) {
            return None;
        }
        let parts = self
            .0
            .entry(fragment.key)
            .or_insert_with(|| Parts::since(now));
        parts.add(&frame, &fragment);
        let whole = parts.whole()?;
        self.0.remove(&fragment.key);
        Some(whole)
    }
}

impl Parts {
    fn since(since: Time) -> Parts {
        Parts {
            since,
            front: None,
            pieces: BTreeMap::new(),
            total: None,
            spoiled: false,
        }
    }

    fn add(&mut self, frame: &[u8], fragment: &Fragment) {
        let (begin, end) = (fragment.offset, fragment.offset + fragment.payload.len());
        let overlaps = self
            .pieces
            .iter()
            .any(|(at, piece)| *at < end && begin < at + piece.len());
        let outgrows = self.total.is_some_and(|total| end > total) || end > LONGEST;
        let uneven = fragment.more && end % 8 != 0;
        if overlaps || outgrows || uneven || fragment.payload.is_empty() {
            self.spoiled = true;
            self.pieces.clear();
        }
        if self.spoiled {
            return;
        }
        if begin == 0 {
            self.front = Some((frame[..ETHERNET + 40].to_vec(), fragment.next));
        }
        if !fragment.more {
            self.total = Some(end);
        }
        self.pieces.insert(begin, fragment.payload.to_vec());
    }

    /// The frame of the datagram, if nothing of it is missing.
    fn whole(&self) -> Option<Vec<u8>> {
        let (front, next) = self.front.as_ref()?;
        let got: usize = self.pieces.values().map(Vec::len).sum();
        if self.spoiled || self.total != Some(got) {
            return None;
        }
        let mut frame = front.clone();
        frame[ETHERNET + 4..ETHERNET + 6].copy_from_slice(&(got as u16).to_be_bytes());
        frame[ETHERNET + 6] = *next;
        frame.extend(self.pieces.values().flatten());
        Some(frame)
    }
}

struct Fragment<'a> {
    key: ([u8; 32], u32),
    next: u8,
    offset: usize,
    more: bool,
    payload: &'a [u8],
}

impl Fragment<'_> {
    fn read(frame: &[u8]) -> Option<Fragment<'_>> {
        let datagram = frame.get(ETHERNET..)?;
        let fixed: [u8; 40] = octets(datagram, 0)?;
        if frame[12..14] != [0x86, 0xdd] || fixed[0] >> 4 != 6 || fixed[6] != FRAGMENT {
            return None;
        }
        let [next, _, high, low, id @ ..] = octets::<8>(datagram, 40)?;
        let cut = u16::from_be_bytes([high, low]);
        let payload = datagram.get(48..40 + usize::from(u16_at(datagram, 4)?))?;
        let key = (octets(&fixed, 8)?, u32::from_be_bytes(id));
        Some(Fragment {
            key,
            next,
            offset: usize::from(cut & 0xfff8),
            more: cut & 1 != 0,
            payload,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::cut::cut;
    use super::*;
    use crate::packet::{UDP, address, datagram, framed};
    use crafty_value::Mac;
    use std::net::IpAddr;

    fn frame(size: usize) -> Vec<u8> {
        let (src, dst): (IpAddr, IpAddr) = (
            "2001:db8::1".parse().unwrap(),
            "2001:db8::2".parse().unwrap(),
        );
        let payload: Vec<u8> = (0..size).map(|n| (n % 251) as u8).collect();
        let mut frame = framed(&datagram(src, dst, UDP, 64, 0, &payload));
        address(&mut frame, Mac([2; 6]), Mac([4; 6]), 0x86dd);
        frame
    }

    /// Cuts a frame, gives the pieces in some order, and tells whether it came whole with the last.
    fn check(size: usize, count: usize, order: &[usize], whole: bool) {
        let pieces = cut(frame(size), 1500, 7);
        assert_eq!(pieces.len(), count);
        assert!(pieces.iter().all(|it| it.len() <= 1514));
        let mut joiner = Joiner::default();
        let mut came: Vec<Option<Vec<u8>>> = order
            .iter()
            .map(|n| joiner.take(Time(0), pieces[*n].clone()))
            .collect();
        let last = came.pop().unwrap();
        assert!(came.iter().all(Option::is_none));
        assert_eq!(last, whole.then(|| frame(size)), "{size} {order:?}");
    }

    #[test]
    fn fragments_are_joined_in_any_order() {
        check(1400, 1, &[0], true);
        check(4000, 3, &[0, 1, 2], true);
        check(4000, 3, &[2, 0, 1], true);
        check(60_000, 42, &(0..42).rev().collect::<Vec<_>>(), true);
        check(4000, 3, &[0, 1, 1, 2], false);
        check(4000, 3, &[0, 2], false);
    }

    #[test]
    fn what_waits_is_bounded_and_forgotten() {
        let mut joiner = Joiner::default();
        for id in 0..100 {
            assert_eq!(
                joiner.take(Time(0), cut(frame(2000), 1500, id).remove(0)),
                None
            );
        }
        assert_eq!(joiner.0.len(), DATAGRAMS);
        joiner.take(
            Time(0).after(PATIENCE),
            cut(frame(2000), 1500, 100).remove(0),
        );
        assert_eq!(joiner.0.len(), 1);
    }
}
