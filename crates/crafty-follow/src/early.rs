//! Bytes that came before those that are before them. None is held twice; all pieces together have
//! a bound.

use std::collections::BTreeMap;

/// Bytes that a side holds early at most.
pub(crate) const MAX_EARLY: usize = 1 << 18;
/// Pieces that a side holds early at most.
const MAX_PIECES: usize = 512;

/// Bytes with the packet that brought them.
#[derive(Clone, Debug)]
pub(crate) struct EarlyBytes {
    pub octets: Vec<u8>,
    pub packet: u64,
    /// Bytes behind these that were not captured.
    pub cut: u64,
}

/// Pieces by their place; none overlap.
#[derive(Clone, Debug, Default)]
pub(crate) struct Early {
    pieces: BTreeMap<u64, EarlyBytes>,
    octets: usize,
}

impl Early {
    pub fn octets(&self) -> usize {
        self.octets
    }

    /// Place of the first piece.
    pub fn first(&self) -> Option<u64> {
        self.pieces.first_key_value().map(|(at, _)| *at)
    }

    /// Takes out the first piece.
    pub fn pop(&mut self) -> Option<(u64, EarlyBytes)> {
        let (at, piece) = self.pieces.pop_first()?;
        self.octets -= piece.octets.len();
        Some((at, piece))
    }

    /// Takes what is new of a piece. Gives how many bytes differ from those that are held at their
    /// place, and whether there was room.
    pub fn insert(&mut self, at: u64, piece: &EarlyBytes) -> (u64, bool) {
        let end = at + piece.octets.len() as u64;
        let before = self.pieces.range(..at).next_back().map(|(at, _)| *at);
        let held: Vec<(u64, u64)> = self
            .pieces
            .range(before.unwrap_or(at)..end)
            .map(|(at, p)| (*at, *at + p.octets.len() as u64))
            .collect();
        let mut differ = 0;
        let (mut from, mut room) = (at, true);
        for (start, stop) in held {
            let (left, right) = (start.max(at), stop.min(end));
            if left >= right {
                continue;
            }
            let ours = &piece.octets[(left - at) as usize..(right - at) as usize];
            let theirs =
                &self.pieces[&start].octets[(left - start) as usize..(right - start) as usize];
            differ += ours.iter().zip(theirs).filter(|(a, b)| a != b).count() as u64;
            room &= self.place(from, left, at, piece);
            from = right;
        }
        room &= self.place(from, end, at, piece);
        (differ, room)
    }

    fn place(&mut self, from: u64, to: u64, at: u64, whole: &EarlyBytes) -> bool {
        if from >= to {
            return true;
        }
        let octets = &whole.octets[(from - at) as usize..(to - at) as usize];
        if self.octets + octets.len() > MAX_EARLY || self.pieces.len() >= MAX_PIECES {
            return false;
        }
        let cut = if to == at + whole.octets.len() as u64 {
            whole.cut
        } else {
            0
        };
        self.octets += octets.len();
        self.pieces.insert(
            from,
            EarlyBytes {
                octets: octets.to_vec(),
                packet: whole.packet,
                cut,
            },
        );
        true
    }
}
