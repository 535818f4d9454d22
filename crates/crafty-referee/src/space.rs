//! Sequence numbers as positions that do not wrap, and sets of positions.

use std::collections::BTreeMap;

/// Ranges that are kept; a peer that leaves more gaps is not judged by them.
const MOST_RANGES: usize = 8192;

/// Bytes under way that are kept of an end, to compare them with those of a retransmission.
const MOST_BYTES: usize = 1 << 18;

/// The sequence numbers of one end. Positions count from the first number seen of it: from the SYN
/// where that was seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Space {
    base: Option<u32>,
    /// One behind the highest position that was used.
    pub high: i64,
    /// A position that is surely in use, where one is known: numbers are taken to lie near it. What
    /// anybody may send in an end's name does not move it.
    pub anchor: Option<i64>,
}

impl Space {
    pub fn known(&self) -> bool {
        self.base.is_some()
    }

    /// The position of a number near the anchor, or near the highest one; the first number seen is
    /// position 0.
    pub fn place(&mut self, number: u32) -> i64 {
        self.base.get_or_insert(number);
        self.position(number)
    }

    /// The same, where a number was seen already.
    pub fn position(&self, number: u32) -> i64 {
        let centre = self.anchor.unwrap_or(self.high);
        let known = self.base.unwrap_or(number).wrapping_add(centre as u32);
        centre + i64::from(number.wrapping_sub(known) as i32)
    }

    /// Positions up to this one are used.
    pub fn reach(&mut self, position: i64) {
        self.high = self.high.max(position);
    }
}

/// What an end has heard of its peer: all before `next`, and ranges beyond.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arrived {
    pub next: i64,
    /// Sorted, apart from each other.
    early: Vec<(i64, i64)>,
    /// More gaps than can be kept: nothing can be said any more.
    pub overflown: bool,
}

impl Arrived {
    pub fn add(&mut self, left: i64, right: i64) {
        let (mut low, mut high) = (left, right);
        self.early.retain(|&(l, r)| {
            let apart = r < low || l > high;
            if !apart {
                (low, high) = (low.min(l), high.max(r));
            }
            apart
        });
        if low <= self.next {
            self.next = self.next.max(high);
            return;
        }
        let at = self.early.partition_point(|&(l, _)| l < low);
        self.early.insert(at, (low, high));
        self.overflown |= self.early.len() > MOST_RANGES;
        self.early.truncate(MOST_RANGES);
    }

    /// Whether a range beyond `next` ends there.
    pub fn ends_at(&self, position: i64) -> bool {
        self.early.iter().any(|(_, right)| *right == position)
    }

    /// Whether all of `left..right` came.
    pub fn holds(&self, left: i64, right: i64) -> bool {
        right <= self.next
            || self
                .early
                .iter()
                .any(|&(l, r)| l <= left.max(self.next) && right <= r)
    }
}

/// Data that was sent and is not acknowledged, as it was sent first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unacknowledged {
    pieces: BTreeMap<i64, Vec<u8>>,
    size: usize,
}

impl Unacknowledged {
    /// New data at this position; not kept beyond [`MOST_BYTES`].
    pub fn add(&mut self, left: i64, data: &[u8]) {
        if !data.is_empty() && self.size + data.len() <= MOST_BYTES {
            self.size += data.len();
            self.pieces.insert(left, data.to_vec());
        }
    }

    /// What is acknowledged will not be sent again.
    pub fn forget(&mut self, acked: i64) {
        while let Some(first) = self.pieces.first_entry()
            && first.key() + first.get().len() as i64 <= acked
        {
            self.size -= first.remove().len();
        }
    }

    /// The first position at or after `from` at which `data`, which begins at `left`, is not what
    /// was sent there before.
    pub fn first_change(&self, left: i64, data: &[u8], from: i64) -> Option<i64> {
        let right = left + data.len() as i64;
        let change = |(&at, piece): (&i64, &Vec<u8>)| {
            let mut overlap = at.max(left).max(from)..right.min(at + piece.len() as i64);
            overlap.find(|n| piece[(n - at) as usize] != data[(n - left) as usize])
        };
        self.pieces.range(..right).find_map(change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_go_on_where_numbers_wrap() {
        let mut space = Space::default();
        assert_eq!(space.place(u32::MAX), 0);
        space.reach(10);
        assert_eq!(space.place(5), 6);
        assert_eq!(space.place(u32::MAX - 1), -1);
    }

    #[test]
    fn what_lies_far_away_does_not_move_what_is_known() {
        let mut space = Space::default();
        space.place(1000);
        space.anchor = Some(50);
        for far in [0x7000_0000, 0xe000_0000] {
            let position = space.place(far);
            space.reach(position);
            assert_eq!(space.place(1060), 60);
        }
    }

    #[test]
    fn ranges_join_and_what_is_whole_moves_on() {
        let mut arrived = Arrived::default();
        arrived.add(10, 20);
        arrived.add(30, 40);
        assert!(arrived.holds(12, 20) && !arrived.holds(12, 21) && !arrived.holds(0, 1));
        arrived.add(20, 30);
        assert!(arrived.holds(10, 40));
        arrived.add(0, 10);
        assert_eq!(arrived.next, 40);
    }
}
