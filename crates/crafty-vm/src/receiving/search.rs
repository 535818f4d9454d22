//! Searching a stream that grows: what was searched is not searched again, whether more came behind
//! it or the oldest bytes were discarded before it.

use core::ops::Range;
use crafty_lang::eval::compare;
use crafty_lang::ir::RelOp;
use crafty_value::Value;

/// How far one test has looked through one stream, for one thing.
#[derive(Clone, Debug, Default)]
pub(crate) struct StreamSearch {
    /// No occurrence lies within these places.
    clear: Range<u64>,
    /// The first occurrence behind them.
    found: Option<u64>,
}

impl StreamSearch {
    /// Whether `part` occurs in `bytes`, the first of which is at `start` in the stream; and how
    /// many bytes that took. Bytes at a place stay the same, and `part` too.
    pub fn find(&mut self, start: u64, bytes: &[u8], part: &[u8]) -> (bool, usize) {
        if self.found.is_some_and(|place| place >= start) {
            return (true, 0);
        }
        let end = start + bytes.len() as u64;
        let overlap = part.len().saturating_sub(1) as u64;
        let known = self.found.is_none() && self.clear.contains(&start);
        let from = match known {
            true => self.clear.end.saturating_sub(overlap).max(start),
            false => start,
        };
        let rest = bytes.get((from - start) as usize..).unwrap_or_default();
        self.found = compare::find(rest, part).map(|at| from + at as u64);
        self.clear = start..end.max(start);
        (self.found.is_some(), rest.len())
    }
}

/// `bytes op operand`, without making a value of the bytes; none where the operand is of another
/// kind.
pub(crate) fn relation(op: RelOp, bytes: &[u8], operand: &Value) -> Option<bool> {
    if let (RelOp::In | RelOp::NotIn, Value::Array(items)) = (op, operand) {
        let is = |item: &Value| matches!(item, Value::Bytes(b) if b.as_slice() == bytes);
        return Some(items.iter().any(is) == (op == RelOp::In));
    }
    let Value::Bytes(other) = operand else {
        return None;
    };
    let order = bytes.cmp(other.as_slice());
    Some(match op {
        RelOp::Eq => order.is_eq(),
        RelOp::Ne => order.is_ne(),
        RelOp::Lt => order.is_lt(),
        RelOp::Le => order.is_le(),
        RelOp::Gt => order.is_gt(),
        RelOp::Ge => order.is_ge(),
        RelOp::In | RelOp::NotIn | RelOp::Has | RelOp::NotHas => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the pieces in which a stream comes, and whatever is discarded of its head: the same
    /// answer as searching all that is there, and each byte is looked at once, except for what a
    /// part may straddle.
    #[test]
    fn a_search_that_goes_on_finds_what_a_fresh_one_finds() {
        let mut seed = 7u64;
        let mut next = |below: u64| {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 33) % below
        };
        for _ in 0..2000 {
            let stream: Vec<u8> = (0..60 + next(60)).map(|_| b'a' + next(2) as u8).collect();
            let part: Vec<u8> = (0..1 + next(8)).map(|_| b'a' + next(2) as u8).collect();
            let mut search = StreamSearch::default();
            let (mut start, mut end, mut looked, mut rounds) = (0usize, 0usize, 0, 0);
            while end < stream.len() {
                end = stream.len().min(end + 1 + next(9) as usize);
                start = end.min(start + next(4) as usize);
                let held = &stream[start..end];
                let (found, read) = search.find(start as u64, held, &part);
                let fresh = held.windows(part.len()).any(|w| w == part);
                assert_eq!(found, fresh, "{stream:?} {part:?} {start}..{end}");
                if !found {
                    (looked, rounds) = (looked + read, rounds + 1);
                }
            }
            // A hit that is discarded makes it look again from there.
            assert!(looked <= 3 * stream.len() + rounds * part.len());
        }
    }

    #[test]
    fn relations_are_those_of_values() {
        let texts: [&[u8]; 4] = [b"", b"a", b"ab", b"b"];
        let ops = [
            RelOp::Eq,
            RelOp::Ne,
            RelOp::Lt,
            RelOp::Le,
            RelOp::Gt,
            RelOp::Ge,
        ];
        for (a, b) in texts.iter().flat_map(|a| texts.iter().map(move |b| (a, b))) {
            let (left, right) = (Value::bytes(a.to_vec()), Value::bytes(b.to_vec()));
            for op in ops {
                let wanted = compare::holds(op, &left, &right);
                assert_eq!(relation(op, a, &right), Some(wanted), "{a:?} {op:?} {b:?}");
            }
            let list = Value::array(vec![right.clone(), Value::bytes(b"x".to_vec())]);
            for op in [RelOp::In, RelOp::NotIn] {
                assert_eq!(
                    relation(op, a, &list),
                    Some(compare::holds(op, &left, &list)),
                    "{a:?} {op:?} {list:?}"
                );
            }
        }
    }
}
