//! A bounded set of ranges of bytes, in order, none touching another.

/// Ranges that are kept at most; the lowest goes first.
const MOST: usize = 64;

/// The set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SequenceRanges(Vec<(i64, i64)>);

impl SequenceRanges {
    /// Adds `left..right`.
    pub fn add(&mut self, left: i64, right: i64) {
        if left >= right {
            return;
        }
        let (mut low, mut high) = (left, right);
        self.0.retain(|&(l, r)| {
            let apart = r < low || l > high;
            if !apart {
                (low, high) = (low.min(l), high.max(r));
            }
            apart
        });
        let at = self.0.partition_point(|&(l, _)| l < low);
        self.0.insert(at, (low, high));
        if self.0.len() > MOST {
            self.0.remove(0);
        }
    }

    /// Forgets what lies below `edge`.
    pub fn forget(&mut self, edge: i64) {
        self.0.retain(|&(_, right)| right > edge);
    }

    /// Whether all of `left..right` is in.
    pub fn holds(&self, left: i64, right: i64) -> bool {
        self.0.iter().any(|&(l, r)| l <= left && right <= r)
    }

    /// Whether something at or above `edge` is in.
    pub fn above(&self, edge: i64) -> bool {
        self.0.last().is_some_and(|&(left, _)| left >= edge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(add: &[(i64, i64)], expected: &[(i64, i64)]) {
        let mut ranges = SequenceRanges::default();
        add.iter()
            .for_each(|&(left, right)| ranges.add(left, right));
        assert_eq!(ranges.0, expected);
    }

    #[test]
    fn ranges_join_where_they_touch() {
        check(&[(5, 9), (1, 3)], &[(1, 3), (5, 9)]);
        check(&[(1, 3), (3, 5), (9, 9)], &[(1, 5)]);
        check(&[(1, 3), (5, 7), (9, 12), (2, 10)], &[(1, 12)]);
    }

    #[test]
    fn they_are_bounded() {
        let mut ranges = SequenceRanges::default();
        (0..1000).for_each(|i| ranges.add(i * 4, i * 4 + 2));
        assert_eq!(
            (ranges.0.len(), ranges.holds(3996, 3998), ranges.holds(0, 2)),
            (MOST, true, false)
        );
        assert!(ranges.above(3996) && !ranges.above(3997));
        ranges.forget(3999);
        assert!(ranges.0.is_empty());
    }
}
