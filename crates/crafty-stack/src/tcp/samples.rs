//! The newest values of something that changes, with their times: bounded, so that a long
//! connection costs no more than a short one.

use alloc::collections::VecDeque;
use crafty_value::Time;

/// Samples kept; the oldest goes first.
pub const MAX_SAMPLES: usize = 256;

/// Values and when each was taken, oldest first; [`MAX_SAMPLES`] at most.
#[derive(Clone, Debug)]
pub struct Samples<T>(VecDeque<(Time, T)>);

impl<T> Default for Samples<T> {
    fn default() -> Samples<T> {
        Samples(VecDeque::new())
    }
}

impl<T: Copy + PartialEq> Samples<T> {
    /// All that are kept, oldest first.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Time, T)> {
        self.0.iter().copied()
    }

    /// How many are kept.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none yet.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn push(&mut self, now: Time, value: T) {
        if self.0.len() >= MAX_SAMPLES {
            self.0.pop_front();
        }
        self.0.push_back((now, value));
    }

    /// Takes the value if it is not the last one.
    pub(crate) fn change(&mut self, now: Time, value: T) {
        if self.0.back().is_none_or(|(_, last)| *last != value) {
            self.push(now, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_kept_in_order() {
        let mut samples = Samples::default();
        (0..1000).for_each(|n| samples.push(Time(n), n));
        assert_eq!(samples.len(), MAX_SAMPLES);
        assert_eq!(samples.iter().next(), Some((Time(744), 744)));
        assert!(samples.iter().map(|(_, n)| n).eq(744..1000));
    }

    #[test]
    fn what_stays_the_same_is_no_change() {
        let mut samples = Samples::default();
        [1, 1, 2, 2, 1]
            .into_iter()
            .enumerate()
            .for_each(|(n, value)| samples.change(Time(n as i64), value));
        assert!(
            samples
                .iter()
                .eq([(Time(0), 1), (Time(2), 2), (Time(4), 1)])
        );
    }
}
