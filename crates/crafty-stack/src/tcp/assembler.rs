//! Bytes that came too early, until the gap before them is filled. Positions count from the peer's
//! SYN.
//!
//! Memory: no byte is held twice, and all lie inside the window; pieces are at most [`MAX_PIECES`].

use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;

/// Pieces held at most; a segment that would make one more is dropped.
pub(crate) const MAX_PIECES: usize = 2048;
/// Ranges that are remembered for SACK.
const RECENT: usize = 4;

/// Pieces out of order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assembler {
    /// By position; none overlap, neighbours may touch.
    pieces: BTreeMap<u64, Vec<u8>>,
    octets: usize,
    /// Where bytes came in, newest first.
    recent: VecDeque<u64>,
}

impl Assembler {
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Bytes held.
    #[cfg(test)]
    pub fn held(&self) -> usize {
        self.octets
    }

    /// Takes what is new of `octets`; gives how many that were. Bytes that are held already stay as
    /// they came first.
    pub fn insert(&mut self, start: u64, octets: &[u8]) -> usize {
        let before = self.octets;
        let (mut at, mut rest) = self.behind_known(start, octets);
        while !rest.is_empty() {
            let next = self
                .pieces
                .range(at..)
                .next()
                .map(|(s, piece)| (*s, s + piece.len() as u64));
            let gap = next.map_or(rest.len(), |(s, _)| rest.len().min((s - at) as usize));
            self.place(at, &rest[..gap]);
            let skip = next
                .filter(|(s, _)| *s < at + rest.len() as u64)
                .map_or(rest.len(), |(_, end)| rest.len().min((end - at) as usize));
            at += skip as u64;
            rest = &rest[skip..];
        }
        self.remember(start);
        self.octets - before
    }

    /// Moves what follows `next` without a gap to the end of `out`; gives the bytes.
    pub fn take(&mut self, next: u64, mut out: impl FnMut(&[u8])) -> usize {
        let mut taken = 0;
        while let Some(first) = self
            .pieces
            .first_entry()
            .filter(|first| *first.key() <= next + taken as u64)
        {
            let (start, piece) = first.remove_entry();
            self.octets -= piece.len();
            let fresh = piece
                .get((next + taken as u64 - start) as usize..)
                .unwrap_or(&[]);
            taken += fresh.len();
            out(fresh);
        }
        self.recent.retain(|at| *at >= next + taken as u64);
        taken
    }

    /// Ranges held, the one that grew last first (RFC 2018 §4).
    pub fn ranges(&self) -> impl Iterator<Item = (u64, u64)> {
        let mut told: [(u64, u64); RECENT] = [(0, 0); RECENT];
        self.recent.iter().enumerate().filter_map(move |(n, at)| {
            let range = self.range_at(*at).filter(|range| !told.contains(range))?;
            told[n] = range;
            Some(range)
        })
    }

    fn behind_known<'a>(&self, start: u64, octets: &'a [u8]) -> (u64, &'a [u8]) {
        let known = self
            .pieces
            .range(..=start)
            .next_back()
            .map_or(0, |(s, piece)| {
                (s + piece.len() as u64).saturating_sub(start)
            });
        let known = octets.len().min(known as usize);
        (start + known as u64, &octets[known..])
    }

    fn place(&mut self, at: u64, octets: &[u8]) {
        if octets.is_empty() {
            return;
        }
        let room = self.pieces.len() < MAX_PIECES;
        match self.pieces.range_mut(..at).next_back() {
            Some((start, piece)) if start + piece.len() as u64 == at => {
                piece.extend_from_slice(octets)
            }
            _ if room => {
                self.pieces.insert(at, octets.to_vec());
            }
            _ => return,
        }
        self.octets += octets.len();
    }

    fn remember(&mut self, at: u64) {
        let range = self.range_at(at);
        self.recent
            .retain(|known| range.is_none_or(|(start, end)| !(start..end).contains(known)));
        self.recent.push_front(at);
        self.recent.truncate(RECENT);
    }

    /// The bytes around `at` that are held without a gap.
    fn range_at(&self, at: u64) -> Option<(u64, u64)> {
        let ends = |(start, piece): (&u64, &Vec<u8>)| (*start, start + piece.len() as u64);
        let (mut start, mut end) = self
            .pieces
            .range(..=at)
            .next_back()
            .map(ends)
            .filter(|(_, end)| *end > at)?;
        while let Some((before, _)) = self
            .pieces
            .range(..start)
            .next_back()
            .map(ends)
            .filter(|(_, end)| *end == start)
        {
            start = before;
        }
        while let Some(piece) = self.pieces.get(&end) {
            end += piece.len() as u64;
        }
        Some((start, end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &[u8] = b"abcdefghijklmnopqrstuvwxyz";

    fn check(places: &[(u64, u64)], ranges: &[(u64, u64)], taken: &[u8]) {
        let mut assembler = Assembler::default();
        for (start, end) in places {
            assembler.insert(*start, &STREAM[*start as usize..*end as usize]);
        }
        assert_eq!(assembler.ranges().collect::<Vec<_>>(), ranges, "{places:?}");
        let mut out = Vec::new();
        let n = assembler.take(0, |piece| out.extend_from_slice(piece));
        assert_eq!((out.as_slice(), n), (taken, taken.len()), "{places:?}");
        assert_eq!(
            assembler.held(),
            assembler.pieces.values().map(Vec::len).sum::<usize>()
        );
    }

    #[test]
    fn pieces_join_whatever_their_order() {
        check(&[(3, 5)], &[(3, 5)], b"");
        check(&[(3, 5), (7, 9), (5, 7)], &[(3, 9)], b"");
        check(&[(7, 9), (3, 5)], &[(3, 5), (7, 9)], b"");
        check(&[(3, 5), (7, 9), (4, 8)], &[(3, 9)], b"");
        check(&[(3, 5), (7, 9), (0, 12)], &[(0, 12)], &STREAM[..12]);
        check(
            &[(10, 12), (6, 8), (2, 4), (14, 16), (20, 22)],
            &[(20, 22), (14, 16), (2, 4), (6, 8)],
            b"",
        );
        check(
            &[(0, 4), (4, 8), (10, 12)],
            &[(10, 12), (0, 8)],
            &STREAM[..8],
        );
    }

    #[test]
    fn what_came_first_stays() {
        let mut assembler = Assembler::default();
        assert_eq!(assembler.insert(2, b"xx"), 2);
        assert_eq!(assembler.insert(0, b"yyyyyy"), 4);
        let mut out = Vec::new();
        assembler.take(0, |piece| out.extend_from_slice(piece));
        assert_eq!(out, b"yyxxyy");
    }

    #[test]
    fn pieces_have_a_bound() {
        let mut assembler = Assembler::default();
        (0..10_000).for_each(|n| {
            assembler.insert(n * 2 + 1, b"z");
        });
        assert_eq!(
            (assembler.pieces.len(), assembler.held()),
            (MAX_PIECES, MAX_PIECES)
        );
    }
}
