//! How late the lab was: a simulator in real time that falls behind must say so.

use crafty_value::Duration;
use std::fmt;

/// Buckets: three bits below the leading one, so that a bucket is at most an eighth wide.
const STEPS: usize = 8;
/// Enough for any time of 64 bits.
const BUCKETS: usize = 64 * STEPS;

/// A histogram of delays beyond what was due.
#[derive(Clone)]
pub struct LatenessHistogram {
    buckets: Vec<u64>,
    count: u64,
    longest: Duration,
}

/// Past which lateness an episode is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatenessLimit(pub Duration);

impl Default for LatenessLimit {
    /// A fifth of the shortest round trip between sites of the built-in networks.
    fn default() -> LatenessLimit {
        LatenessLimit(Duration::millis(2))
    }
}

impl Default for LatenessHistogram {
    fn default() -> LatenessHistogram {
        LatenessHistogram {
            buckets: vec![0; BUCKETS],
            count: 0,
            longest: Duration::ZERO,
        }
    }
}

impl LatenessHistogram {
    /// Adds one; early counts as on time.
    pub fn add(&mut self, late: Duration) {
        let late = late.max(Duration::ZERO);
        self.buckets[bucket(late)] += 1;
        self.count += 1;
        self.longest = self.longest.max(late);
    }

    /// How many were added.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The longest.
    pub fn longest(&self) -> Duration {
        self.longest
    }

    /// The lateness that `parts` of 1,000 do not exceed, up to an eighth too long; zero if nothing
    /// was added.
    pub fn quantile(&self, parts: u64) -> Duration {
        let wanted = (self.count * parts).div_ceil(1000);
        let mut seen = 0;
        for (number, count) in self.buckets.iter().enumerate() {
            seen += count;
            if seen >= wanted && seen > 0 {
                return end_of(number).min(self.longest);
            }
        }
        Duration::ZERO
    }

    /// Whether at most one of 100 was later than the limit.
    pub fn keeps(&self, limit: LatenessLimit) -> bool {
        self.quantile(990) <= limit.0
    }
}

impl fmt::Display for LatenessHistogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = |it: Duration| it.0 as f64 / 1e3;
        write!(
            f,
            "half within {:.0} us, 99 % within {:.0} us, the latest {:.0} us, of {}",
            micros(self.quantile(500)),
            micros(self.quantile(990)),
            micros(self.longest),
            self.count
        )
    }
}

fn bucket(late: Duration) -> usize {
    let value = late.0.unsigned_abs();
    if value < STEPS as u64 {
        return value as usize;
    }
    let exponent = value.ilog2() as usize;
    let step = (value >> (exponent - 3)) as usize - STEPS;
    (exponent - 2) * STEPS + step
}

/// The largest value of a bucket.
fn end_of(bucket: usize) -> Duration {
    if bucket < STEPS {
        return Duration(bucket as i64);
    }
    let (exponent, step) = (bucket / STEPS + 2, bucket % STEPS);
    let next = ((STEPS + step + 1) as u128) << (exponent - 3);
    Duration(i64::try_from(next - 1).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_holds_its_value_and_is_at_most_an_eighth_wide() {
        for value in
            (0..4096).chain((12..62).flat_map(|bit| [(1 << bit) - 1, 1 << bit, 3 << (bit - 1)]))
        {
            let end = end_of(bucket(Duration(value))).0;
            assert!(
                end >= value && end - value <= value / 8,
                "{value} in a bucket to {end}"
            );
        }
    }

    #[test]
    fn quantiles_and_limit() {
        let mut late = LatenessHistogram::default();
        assert!(
            late.keeps(LatenessLimit(Duration::ZERO)),
            "nothing was late"
        );
        for n in 0..990 {
            late.add(Duration::micros(n % 100));
        }
        for _ in 0..10 {
            late.add(Duration::millis(50));
        }
        late.add(Duration(-5));
        assert_eq!((late.count(), late.longest()), (1001, Duration::millis(50)));
        assert!(
            late.quantile(500) <= Duration::micros(57) && late.quantile(1000) == late.longest()
        );
        assert!(late.keeps(LatenessLimit(Duration::micros(120))));
        assert!(!late.keeps(LatenessLimit(Duration::micros(80))));
    }
}
