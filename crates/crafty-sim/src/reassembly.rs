//! Joins fragments of IPv4 (RFC 791 §3.2) and IPv6 (RFC 8200 §4.5), and tells which datagrams never
//! became whole. Of IPv6 only Fragment headers right after the fixed header.

use crate::packet::{self, ETHERNET, Head, octets, u16_at};
use crafty_value::{Duration, Time};
use std::collections::BTreeMap;

/// Next header of a fragment.
pub(crate) const FRAGMENT: u8 = 44;
/// Time for which fragments of IPv4 wait for the others: what Linux has.
const PATIENCE4: Duration = Duration::seconds(30);
/// Time for which those of IPv6 do (RFC 8200 §4.5).
const PATIENCE6: Duration = Duration::seconds(60);
/// Datagrams that are joined at a time.
const DATAGRAMS: usize = 16;
/// Most bytes after the header.
const LONGEST: usize = 65_535;

/// What fragments of one datagram have in common: version, addresses, protocol, identification.
type ReassemblyKey = (bool, [u8; 33], u32);

/// Datagrams of which fragments have come.
#[derive(Default)]
pub(crate) struct Joiner(BTreeMap<ReassemblyKey, FragmentParts>);

struct FragmentParts {
    since: Time,
    patience: Duration,
    /// The first fragment's frame.
    first: Option<Vec<u8>>,
    /// The header that all have in common, with the next header that follows it.
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
        let Some(fragment) = HeldFragment::read(&frame) else {
            return Some(frame);
        };
        self.0
            .retain(|_, parts| now.since(parts.since) < parts.patience);
        if self.0.len() >= DATAGRAMS && !self.0.contains_key(&fragment.key) {
            return None;
        }
        let parts = self.0.entry(fragment.key);
        let parts = parts.or_insert_with(|| FragmentParts::since(now, fragment.key.0));
        parts.add(&frame, &fragment);
        let whole = parts.whole(fragment.key.0)?;
        self.0.remove(&fragment.key);
        Some(whole)
    }

    /// Gives up what has waited for too long: the frames of the first fragments, to be quoted;
    /// where that is missing nothing is said (RFC 792, RFC 4443 §3.3).
    pub fn expired(&mut self, now: Time) -> Vec<Vec<u8>> {
        let is_late = |parts: &FragmentParts| now.since(parts.since) >= parts.patience;
        let late: Vec<ReassemblyKey> = self
            .0
            .iter()
            .filter(|it| is_late(it.1))
            .map(|it| *it.0)
            .collect();
        let parts = late.into_iter().filter_map(|key| self.0.remove(&key));
        parts
            .filter(|it| !it.spoiled)
            .filter_map(|it| it.first)
            .collect()
    }

    /// When the next one has waited for too long.
    pub fn next_at(&self) -> Option<Time> {
        self.0
            .values()
            .map(|parts| parts.since.after(parts.patience))
            .min()
    }
}

impl FragmentParts {
    fn since(since: Time, v4: bool) -> FragmentParts {
        FragmentParts {
            since,
            patience: if v4 { PATIENCE4 } else { PATIENCE6 },
            first: None,
            front: None,
            pieces: BTreeMap::new(),
            total: None,
            spoiled: false,
        }
    }

    fn add(&mut self, frame: &[u8], fragment: &HeldFragment<'_>) {
        let (begin, end) = (fragment.offset, fragment.offset + fragment.payload.len());
        // An exact duplicate may be dropped (RFC 8200 section 4.5), and Linux drops it.
        let ends_there = fragment.more || self.total == Some(end);
        let same = self
            .pieces
            .get(&begin)
            .is_some_and(|it| *it == fragment.payload);
        if same && ends_there {
            return;
        }
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
            self.front = Some((frame[..fragment.header].to_vec(), fragment.next));
            self.first = Some(frame.to_vec());
        }
        if !fragment.more {
            self.total = Some(end);
        }
        self.pieces.insert(begin, fragment.payload.to_vec());
    }

    /// The frame of the datagram, if nothing of it is missing.
    fn whole(&self, v4: bool) -> Option<Vec<u8>> {
        let (front, next) = self.front.as_ref()?;
        let got: usize = self.pieces.values().map(Vec::len).sum();
        if self.spoiled || self.total != Some(got) {
            return None;
        }
        let mut frame = front.clone();
        frame.extend(self.pieces.values().flatten());
        if v4 {
            let total = (frame.len() - ETHERNET).min(LONGEST) as u16;
            frame[ETHERNET + 2..ETHERNET + 4].copy_from_slice(&total.to_be_bytes());
            frame[ETHERNET + 6..ETHERNET + 8].fill(0);
            packet::seal_ip4(&mut frame[ETHERNET..]);
        } else {
            frame[ETHERNET + 4..ETHERNET + 6].copy_from_slice(&(got as u16).to_be_bytes());
            frame[ETHERNET + 6] = *next;
        }
        Some(frame)
    }
}

struct HeldFragment<'a> {
    key: ReassemblyKey,
    next: u8,
    /// Bytes of Ethernet and IP header.
    header: usize,
    offset: usize,
    more: bool,
    payload: &'a [u8],
}

impl HeldFragment<'_> {
    fn read(frame: &[u8]) -> Option<HeldFragment<'_>> {
        match frame.get(12..14)? {
            [0x08, 0x00] => HeldFragment::read4(frame),
            [0x86, 0xdd] => HeldFragment::read6(frame),
            _ => None,
        }
    }

    fn read4(frame: &[u8]) -> Option<HeldFragment<'_>> {
        let datagram = frame.get(ETHERNET..)?;
        let head = Head::read(datagram).ok()?;
        if !head.dst.is_ipv4() || (head.offset == 0 && !head.more) {
            return None;
        }
        let mut ends = [0; 33];
        ends[..8].copy_from_slice(datagram.get(12..20)?);
        ends[8] = head.proto;
        Some(HeldFragment {
            key: (true, ends, u32::from(u16_at(datagram, 4)?)),
            next: head.proto,
            header: ETHERNET + head.upper,
            offset: head.offset,
            more: head.more,
            payload: head.upper(datagram),
        })
    }

    fn read6(frame: &[u8]) -> Option<HeldFragment<'_>> {
        let datagram = frame.get(ETHERNET..)?;
        let fixed: [u8; 40] = octets(datagram, 0)?;
        if fixed[0] >> 4 != 6 || fixed[6] != FRAGMENT {
            return None;
        }
        let [next, _, high, low, id @ ..] = octets::<8>(datagram, 40)?;
        let cut = u16::from_be_bytes([high, low]);
        let payload = datagram.get(48..40 + usize::from(u16_at(datagram, 4)?))?;
        let mut ends = [0; 33];
        ends[..32].copy_from_slice(&octets::<32>(&fixed, 8)?);
        Some(HeldFragment {
            key: (false, ends, u32::from_be_bytes(id)),
            next,
            header: ETHERNET + 40,
            offset: usize::from(cut & 0xfff8),
            more: cut & 1 != 0,
            payload,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::cut;
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
        check(4000, 3, &[0, 0, 1, 1, 2], true);
        check(4000, 3, &[2, 2, 1, 0], true);
        check(4000, 3, &[0, 2], false);
    }

    #[test]
    fn a_second_text_for_the_same_place_spoils_the_datagram() {
        let mut pieces = cut(frame(4000), 1500, 7);
        let mut other = pieces[1].clone();
        *other.last_mut().unwrap() ^= 1;
        pieces.insert(2, other);
        let mut joiner = Joiner::default();
        for piece in pieces {
            assert_eq!(joiner.take(Time(0), piece), None);
        }
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
            Time(0).after(PATIENCE6),
            cut(frame(2000), 1500, 100).remove(0),
        );
        assert_eq!(joiner.0.len(), 1);
    }
}
